import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { EntryKind } from '../entries/blog-entry.entity.js';
import type { Dated } from '../entries/dated.js';
import { EntryReader } from '../entries/entry-reader.js';
import { entryUrl, VISIBLE } from '../entries/entry-row.js';

/** Search engines take 50,000 addresses a file. */
export const SITEMAP_ENTRIES_MAX = 10_000;

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const MODIFIED_AT = 'greatest(entry.updated_at, entry.published_at)';

interface SitemapRow {
  readonly kind: EntryKind;
  readonly slug: string;
  readonly modified_at: Date;
}

/** A file of the sitemap, from 1. */
interface SitemapFile {
  readonly page: number;
  readonly modified_at: Date;
}

/**
 * The addresses of all posts and pages, for search engines. An entry is in the file of its number and stays
 * there; while all fit in the first file, that is the sitemap, else the sitemap lists the files.
 */
@Injectable()
export class SitemapService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly entries: EntryReader,
  ) {}

  /** The sitemap, or one file of it. Throws `not_found` (404) for a file that it does not list. */
  async get(page: number | undefined): Promise<Dated<string>> {
    const modifiedAt = await this.entries.changedAt();
    const files = page === undefined ? await this.files() : [];
    const body = files.some((file) => file.page > 1) ? this.indexOf(files) : await this.fileOf(page ?? 1);
    return { body, modifiedAt };
  }

  private files(): Promise<SitemapFile[]> {
    return this.dataSource.query<SitemapFile[]>(
      `SELECT ((entry.entry_id - 1) / $1 + 1)::integer AS page, max(${MODIFIED_AT}) AS modified_at
       FROM blog_entries entry WHERE ${VISIBLE} GROUP BY 1 ORDER BY 1`,
      [SITEMAP_ENTRIES_MAX],
    );
  }

  private indexOf(files: readonly SitemapFile[]): string {
    const items = files.map(({ page, modified_at: modifiedAt }) =>
      item('sitemap', `${this.config.publicUrl}/sitemap.xml?page=${page}`, modifiedAt),
    );
    return documentOf('sitemapindex', items);
  }

  private async fileOf(page: number): Promise<string> {
    const rows = await this.dataSource.query<SitemapRow[]>(
      `SELECT entry.kind, entry.slug, ${MODIFIED_AT} AS modified_at FROM blog_entries entry
       WHERE ${VISIBLE} AND entry.entry_id > $1 AND entry.entry_id <= $2 ORDER BY entry.entry_id`,
      [(page - 1) * SITEMAP_ENTRIES_MAX, page * SITEMAP_ENTRIES_MAX],
    );
    if (rows.length === 0 && page > 1) throw new ApiError(NOT_FOUND, 'The sitemap has no such page.');
    const { publicUrl } = this.config;
    const items = rows.map((row) => item('url', entryUrl(row, publicUrl), row.modified_at));
    // A file must not be empty.
    if (page === 1) items.unshift(item('url', `${publicUrl}/blog/posts`));
    return documentOf('urlset', items);
  }
}

function documentOf(root: 'sitemapindex' | 'urlset', items: readonly string[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<${root} xmlns="${NAMESPACE}">`,
    ...items,
    `</${root}>`,
    '',
  ].join('\n');
}

/** Of what stands in an address, only `&` means something in XML. */
function item(name: 'sitemap' | 'url', address: string, modifiedAt?: Date): string {
  const lastmod = modifiedAt ? `<lastmod>${modifiedAt.toISOString()}</lastmod>` : '';
  return `<${name}><loc>${address.replaceAll('&', '&amp;')}</loc>${lastmod}</${name}>`;
}
