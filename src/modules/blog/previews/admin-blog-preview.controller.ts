import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ChangesNothing } from '../../../kit/audit/audited.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { withPublicUrl } from '../../../kit/content/own-origin.js';
import { VALIDATION_FAILED } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, operators } from '../../../kit/security/operator-roles.js';
import { ENTRY_PATHS } from '../entries/entry-row.js';
import { PreviewTextDto, TextPreviewDto } from './preview.dto.js';

/** Texts as readers would see them, before they are kept. */
@ApiTags('Blog')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/blog/preview')
export class AdminBlogPreviewController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /**
   * Preview a text
   * @remarks What its Markdown becomes in a post or page; nothing is kept.
   */
  @Post()
  @HttpCode(200)
  @ChangesNothing()
  @ApiErrors(VALIDATION_FAILED)
  async preview(@Body() { markdown, kind }: PreviewTextDto): Promise<TextPreviewDto> {
    const { publicUrl } = this.config;
    const { renderMarkdown } = await import('../rendering/markdown.js');
    const { html, excerpt, readingMinutes } = renderMarkdown(markdown, {
      publicUrl,
      path: ENTRY_PATHS[kind],
    });
    return { html: withPublicUrl(html, publicUrl), excerpt, reading_time: readingMinutes };
  }
}
