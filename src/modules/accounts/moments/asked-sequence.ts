import type { PointInTime } from '../../../core/journal/point-in-time.js';
import { ApiError } from '../../../kit/http/errors.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import type { PointInTimeQueryDto } from './point-in-time.dto.js';

/**
 * The sequence up to which a request wants everything counted; `undefined` where it asks for the present.
 * Throws `validation_failed` for both parameters at once and for what lies ahead.
 */
export async function askedSequence(
  pointInTime: PointInTime,
  { as_of, at_sequence }: PointInTimeQueryDto,
): Promise<number | undefined> {
  if (as_of !== undefined && at_sequence !== undefined) {
    throw invalid('at_sequence', 'at_sequence and as_of must not be given together');
  }
  if (at_sequence !== undefined) {
    const sequence = await pointInTime.present();
    if (at_sequence > sequence) {
      throw invalid('at_sequence', `at_sequence must not be above ${sequence}, the present one`);
    }
    return at_sequence;
  }
  if (as_of === undefined) return undefined;
  const timeMs = parseUtcTime(as_of)!;
  if (timeMs > pointInTime.nowMs()) throw invalid('as_of', 'as_of must not lie in the future');
  return pointInTime.sequenceAt(timeMs);
}

function invalid(field: string, message: string): ApiError {
  return ApiError.validation([{ field, message }]);
}
