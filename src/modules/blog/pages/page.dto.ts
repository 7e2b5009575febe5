import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { withPublicUrl } from '../../../kit/content/own-origin.js';
import { AuthoringDto, WriteEntryDto } from '../entries/entry.dto.js';
import { entryUrl, type EntryRow, type WholeEntryRow } from '../entries/entry-row.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PAGE_IDS } from '../ids.js';

/** The body of `POST /admin/blog/pages` and `PUT /admin/blog/pages/{page_id}`: the whole page. */
export class WritePageDto extends WriteEntryDto {}

/** A page. */
export class PageDto {
  /** @example "about" */
  slug: string;

  /**
   * Where it is answered.
   * @example "https://trade.example/blog/pages/about"
   */
  @ApiProperty({ format: 'uri' })
  url: string;

  /**
   * Plain text.
   * @example "About us"
   */
  title: string;

  /**
   * Sanitised: safe to show as it is. Its addresses are absolute.
   * @example "<p>Markets stay <strong>open</strong>.</p>"
   */
  html: string;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  updated_at: string;
}

/** A page as operators see it. */
export class AuthoredPageDto extends IntersectionType(PageDto, AuthoringDto) {
  /** @example "pag_00000000001" */
  page_id: string;
}

/** A page in the operators' list, without its text. */
export class PageSummaryDto extends OmitType(AuthoredPageDto, ['html', 'markdown']) {}

export function toPageDto(row: WholeEntryRow, publicUrl: string): PageDto {
  return { ...commonOf(row, publicUrl), html: withPublicUrl(row.html, publicUrl) };
}

export function toAuthoredPageDto(row: WholeEntryRow, publicUrl: string): AuthoredPageDto {
  const html = withPublicUrl(row.html, publicUrl);
  return { ...toPageSummaryDto(row, publicUrl), html, markdown: row.markdown };
}

export function toPageSummaryDto(row: EntryRow, publicUrl: string): PageSummaryDto {
  return {
    page_id: PAGE_IDS.format(Number(row.entry_id)),
    ...commonOf(row, publicUrl),
    ...fieldsOf(row, 'status', 'published_at', 'version', 'created_at'),
  };
}

function commonOf(row: EntryRow, publicUrl: string): Omit<PageDto, 'html'> {
  return {
    slug: row.slug,
    url: entryUrl(row, publicUrl),
    title: row.title,
    updated_at: row.updated_at.toISOString(),
  };
}
