import { IsString, MaxLength, MinLength } from 'class-validator';

/** Which stream to follow. */
export class CreateStreamTicketDto {
  /**
   * The path of the stream, without a query, exactly as it will be asked for.
   * @example "/accounts/me/stream"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(512)
  path: string;
}

/** What lets a browser follow one event stream. */
export class StreamTicketDto {
  /**
   * To be sent as `?ticket=`; shown this once.
   * @example "tpt_b25seS1vbmUtc3RyZWFtLWZvci10ZW4tbWludXRlcy0"
   */
  ticket: string;
  /** Until when it opens the stream, as often as it is asked for: RFC 3339, UTC. */
  expires_at: string;
}
