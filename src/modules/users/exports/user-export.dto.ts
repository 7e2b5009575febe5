import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { EXPORT_STATUSES, type ExportStatus, type UserExportEntity } from './user-export.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { EXPORT_IDS } from '../ids.js';

const TICKET_LENGTH_MAX = 128;

/** The query of `GET /user/exports/{export_id}/file`. */
export class ExportTicketDto {
  /**
   * Of `download_url`.
   * @example "8p0cBf4Yw3mZrT1xQv6nKd2uJhG9sLaE5iOoRyWqXtM"
   */
  @IsString()
  @MaxLength(TICKET_LENGTH_MAX)
  ticket: string;
}

/** How far an export is. */
export class ExportProgressDto {
  /** Parts that are in the file. */
  @ApiProperty({ type: 'integer', example: 12 })
  sections_done: number;

  @ApiProperty({ type: 'integer', example: 30 })
  sections_total: number;

  /** Rows that were read. */
  @ApiProperty({ type: 'integer', example: 4200 })
  rows: number;
}

/** An export of all that the service knows about a user. */
export class ExportDto {
  /** @example "exp_00000000001" */
  export_id: string;

  /** `failed` after several tries: ask for another one. `expired`: the file was there for a day, and is deleted. */
  @ApiProperty({ enum: EXPORT_STATUSES })
  status: ExportStatus;

  progress: ExportProgressDto;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-20T09:00:00.000Z"
   */
  created_at: string;

  /** RFC 3339 UTC; null before. */
  ready_at: string | null;

  /** RFC 3339 UTC: when the link ends and the file is deleted; null before it is ready. */
  expires_at: string | null;

  /** Of the zip. */
  @ApiProperty({ type: 'integer', nullable: true, example: 51234 })
  size_bytes: number | null;

  /** Of the zip, in hexadecimal. */
  sha256: string | null;

  /**
   * Whoever has it can read all of the file: pass it to nobody. It ends with the file, and when the password changes or
   * the user is locked or closed; after a change of the password there is another one here. Null where there is no file.
   * @example "https://tradepost.example/user/exports/exp_00000000001/file?ticket=…"
   */
  download_url: string | null;
}

export function exportIdOf({ exportId }: Pick<UserExportEntity, 'exportId'>): string {
  return EXPORT_IDS.format(Number(exportId));
}

export function toExportDto(row: UserExportEntity, downloadUrl: string | null): ExportDto {
  return {
    export_id: exportIdOf(row),
    status: row.status,
    progress: {
      sections_done: row.sectionsDone,
      sections_total: row.sectionsTotal,
      rows: Number(row.rowsDone),
    },
    ...fieldsOf(row, 'createdAt', 'readyAt', 'expiresAt'),
    size_bytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
    sha256: row.sha256,
    download_url: downloadUrl,
  };
}
