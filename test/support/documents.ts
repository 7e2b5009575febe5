import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import MarkdownIt from 'markdown-it';

export interface Fence {
  readonly language: string;
  readonly code: string;
}

export interface Link {
  /** From the root of the project. */
  readonly path: string;
  /** Without the `#`; empty for a link to the whole file. */
  readonly anchor: string;
}

/** A parsed Markdown file of the project. */
export interface Document {
  readonly path: string;
  readonly text: string;
  readonly fences: readonly Fence[];
  /** Inline code in sentences and tables. */
  readonly codes: readonly string[];
  /** Links within the project. */
  readonly links: readonly Link[];
  /** The headings' anchors. */
  readonly anchors: readonly string[];
}

/** All documents for people; benchmark output is not checked. */
const PATTERNS = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'plugins/**/*.md', 'packages/*/README.md'];

const markdown = new MarkdownIt();

export async function readDocuments(): Promise<Document[]> {
  const documents: Document[] = [];
  for (const pattern of PATTERNS) {
    for await (const path of glob(pattern)) documents.push(readDocument(path));
  }
  return documents;
}

export function readDocument(path: string): Document {
  const text = readFileSync(path, 'utf8');
  const blocks = markdown.parse(text, {});
  const inline = blocks.flatMap(({ children }) => children ?? []);
  const targets = inline.map((token) => token.attrGet('href')).filter((target) => typeof target === 'string');
  const headings = blocks.filter((_, i) => blocks[i - 1]?.type === 'heading_open');
  return {
    path,
    text,
    fences: blocks
      .filter(({ type }) => type === 'fence')
      .map(({ info, content }) => ({ language: info, code: content })),
    codes: inline.filter(({ type }) => type === 'code_inline').map(({ content }) => content),
    links: targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => linkFrom(path, target)),
    anchors: headings.map(({ content }) => anchorOf(content)),
  };
}

/** The shell blocks under a heading of the second level. */
export function shellBlocksOf(path: string, heading: string): string[] {
  const { text } = readDocument(path);
  const section = text.split(/^## /m).find((each) => each.startsWith(heading)) ?? '';
  return markdown
    .parse(section, {})
    .filter(({ type, info }) => type === 'fence' && info === 'sh')
    .map(({ content }) => content);
}

function linkFrom(document: string, target: string): Link {
  const [path = '', anchor = ''] = target.split('#');
  return { path: path === '' ? document : normalize(join(dirname(document), path)), anchor };
}

/** The anchor as Markdown renderers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
