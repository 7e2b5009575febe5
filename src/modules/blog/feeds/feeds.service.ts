import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Texts } from '../../../kit/words/texts.js';
import { xmlText } from '../../../kit/content/xml-text.js';
import type { Dated } from '../entries/dated.js';
import type { PostDto } from '../posts/post.dto.js';
import { PostsService } from '../posts/posts.service.js';

const DESCRIPTION = 'News and notes from the people who run this exchange.';
const LANGUAGE = 'en';

/** Readers come often, and keep what they have seen. */
const POSTS_MAX = 20;

/** The newest posts with their whole texts, for feed readers. */
@Injectable()
export class FeedsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly posts: PostsService,
    private readonly texts: Texts,
  ) {}

  /** RSS 2.0. */
  async rss(): Promise<Dated<string>> {
    const { body: posts, modifiedAt } = await this.newest();
    const { generateRssFeed } = await import('feedsmith');
    const body = generateRssFeed({
      title: this.texts.branding.name,
      link: this.home,
      description: DESCRIPTION,
      language: LANGUAGE,
      lastBuildDate: modifiedAt,
      atom: { links: [{ href: this.selfOf('feed.xml'), rel: 'self', type: 'application/rss+xml' }] },
      items: posts.map((post) => ({
        title: xmlText(post.title),
        link: post.url,
        guid: { value: this.lastingIdOf(post), isPermaLink: false },
        pubDate: new Date(post.published_at),
        description: asHtml(xmlText(post.excerpt)),
        dc: { creators: [xmlText(post.author.name)] },
        categories: labelsOf(post).map(({ name }) => ({ name })),
        content: { encoded: post.html },
      })),
    });
    return { body, modifiedAt };
  }

  /** Atom 1.0 (RFC 4287). */
  async atom(): Promise<Dated<string>> {
    const { body: posts, modifiedAt } = await this.newest();
    const { generateAtomFeed } = await import('feedsmith');
    const body = generateAtomFeed({
      id: this.selfOf('atom.xml'),
      title: { value: this.texts.branding.name },
      subtitle: { value: DESCRIPTION },
      updated: modifiedAt,
      links: [
        { href: this.selfOf('atom.xml'), rel: 'self', type: 'application/atom+xml' },
        { href: this.home, rel: 'alternate', type: 'application/json' },
      ],
      entries: posts.map((post) => ({
        id: this.lastingIdOf(post),
        title: { value: xmlText(post.title) },
        links: [{ href: post.url, rel: 'alternate', type: 'application/json' }],
        published: new Date(post.published_at),
        updated: new Date(Math.max(Date.parse(post.updated_at), Date.parse(post.published_at))),
        authors: [{ name: xmlText(post.author.name) }],
        categories: labelsOf(post).map(({ slug, name }) => ({ term: slug, label: name })),
        summary: { value: xmlText(post.excerpt) },
        content: { value: post.html, type: 'html' },
      })),
    });
    return { body, modifiedAt };
  }

  private async newest(): Promise<Dated<PostDto[]>> {
    const { body, modifiedAt } = await this.posts.list({ limit: POSTS_MAX });
    return { body: body.data, modifiedAt };
  }

  private get home(): string {
    return `${this.config.publicUrl}/blog/posts`;
  }

  private selfOf(name: string): string {
    return `${this.config.publicUrl}/blog/${name}`;
  }

  /** A tag URI (RFC 4151): unlike its address, it stays when the post gets another slug. */
  private lastingIdOf({ post_id: postId }: PostDto): string {
    return `tag:${new URL(this.config.publicUrl).hostname},2026:${postId}`;
  }
}

function labelsOf({ category, tags }: PostDto): { readonly slug: string; readonly name: string }[] {
  return [category, ...tags].flatMap((label) =>
    label ? [{ slug: label.slug, name: xmlText(label.name) }] : [],
  );
}

/** RSS has HTML in descriptions; what is plain text must be written so that it stays that. */
function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
