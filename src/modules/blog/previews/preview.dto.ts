import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { MARKDOWN_LENGTH_MAX } from '../entries/entry.dto.js';

const KINDS = ['post', 'page'] as const;

/** A text that is being written. */
export class PreviewTextDto {
  /**
   * As posts and pages take it.
   * @example "Markets stay **open**."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(MARKDOWN_LENGTH_MAX)
  markdown: string;

  /** Where it will be read, which its relative addresses begin from. */
  @ApiPropertyOptional({ enum: KINDS, default: 'post' })
  @IsOptional()
  @IsIn(KINDS)
  kind: (typeof KINDS)[number] = 'post';
}

/** What a text would become. */
export class TextPreviewDto {
  /**
   * What is not safe to show is left out.
   * @example "<p>Markets stay <strong>open</strong>.</p>"
   */
  html: string;

  /**
   * The beginning of the text, where no other excerpt is given.
   * @example "Markets stay open."
   */
  excerpt: string;

  /**
   * In whole minutes.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  reading_time: number;
}
