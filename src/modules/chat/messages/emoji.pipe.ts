import { Injectable, type PipeTransform } from '@nestjs/common';
import { emojiOf } from './emoji.js';

/** Reads an emoji from a path. Throws `validation_failed` (400) for anything else. */
@Injectable()
export class EmojiPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    return emojiOf(text);
  }
}
