import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import type { NoteEntity } from './note.entity.js';

const TEXT_LENGTH_MAX = 1_000;

/** The body of `POST /acme-loyalty/notes`. */
export class AcmeLoyaltyWriteNoteDto {
  @ApiProperty({ example: 'My first note' })
  @IsString()
  @MinLength(1)
  @MaxLength(TEXT_LENGTH_MAX)
  text: string;
}

export class AcmeLoyaltyNoteDto {
  @ApiProperty({ example: '1' })
  note_id: string;

  @ApiProperty({ example: 'My first note' })
  text: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T12:00:00.000Z' })
  created_at: string;
}

export function toNoteDto({ noteId, text, createdAt }: NoteEntity): AcmeLoyaltyNoteDto {
  return { note_id: noteId, text, created_at: createdAt.toISOString() };
}
