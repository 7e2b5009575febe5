import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { Found } from '../entries/dated.js';
import { EntryReader } from '../entries/entry-reader.js';
import { ENTRY_PATHS, modifiedAtOf } from '../entries/entry-row.js';
import { toPageDto, type PageDto } from './page.dto.js';

/** The pages that everyone sees. */
@Injectable()
export class PagesService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly entries: EntryReader,
  ) {}

  /** Throws `not_found` (404). */
  async get(slug: string): Promise<Found<PageDto>> {
    const row = await this.entries.find('page', slug);
    if (row.slug !== slug) return { movedTo: ENTRY_PATHS.page + row.slug };
    return { body: toPageDto(row, this.config.publicUrl), modifiedAt: modifiedAtOf(row) };
  }
}
