import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, Repository } from 'typeorm';
import { Clock } from '../../../kit/clock.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { type CutQueryDto, type LiabilitiesDto, toLiabilitiesDto } from './liabilities.dto.js';
import { LiabilityCutEntity } from './liability-cut.entity.js';

/** What is published of cuts. */
@Injectable()
export class LiabilityCuts {
  constructor(
    @InjectRepository(LiabilityCutEntity) private readonly cuts: Repository<LiabilityCutEntity>,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` (404) where there is none by then, and `validation_failed` (400) for a moment ahead. */
  async get(query: CutQueryDto): Promise<LiabilitiesDto> {
    return toLiabilitiesDto(await this.find(query));
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list({ limit, cursor }: PageQueryDto): Promise<Page<LiabilitiesDto>> {
    const before = decodeCursor(cursor, ['integer', 'integer']);
    const query = this.cuts.createQueryBuilder('cut').orderBy({ 'cut.asOf': 'DESC', 'cut.cutId': 'DESC' });
    if (before !== undefined) {
      const [timeMs, cutId] = before;
      query.where('(cut.asOf, cut.cutId) < (:asOf, :cutId)', { asOf: dateOf(timeMs), cutId });
    }
    const rows = await query.take(limit + 1).getMany();
    return pageOf(rows, limit, (cut) => [cut.asOf.getTime(), Number(cut.cutId)], toLiabilitiesDto);
  }

  /** As `get`, as it is stored. */
  async find({ as_of }: CutQueryDto): Promise<LiabilityCutEntity> {
    const timeMs = as_of === undefined ? undefined : parseUtcTime(as_of)!;
    if (timeMs !== undefined && timeMs > this.clock.nowMs())
      throw ApiError.validation([{ field: 'as_of', message: 'as_of must not lie in the future' }]);
    const cut = await this.cuts.findOne({
      where: timeMs === undefined ? {} : { asOf: LessThanOrEqual(new Date(timeMs)) },
      order: { asOf: 'DESC', cutId: 'DESC' },
    });
    if (cut === null)
      throw new ApiError(NOT_FOUND, 'No cut is published of that time. See GET /liabilities/cuts.');
    return cut;
  }
}

/** The last day that a `Date` can say, for cursors that say more. */
function dateOf(timeMs: number): Date {
  return new Date(Math.min(timeMs, 8.64e15));
}
