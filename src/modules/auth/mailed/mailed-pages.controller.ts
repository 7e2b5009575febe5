import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { FormBody } from '../../../kit/http/body-policy.js';
import { ApiError } from '../../../kit/http/errors.js';
import { CompiledValidationPipe } from '../../../kit/http/validation/compiled-validation.pipe.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { LanguagesOfRequests } from '../../../kit/words/languages-of-requests.js';
import { AuthorizeErrorFilter } from '../authorize/authorize-error.filter.js';
import { BrowserSessions, isOwnForm } from '../authorize/browser-sessions.js';
import { type PageLook, PageLooks, refusalWords } from '../authorize/page-looks.js';
import { sendFormPage } from '../authorize/page-response.js';
import { EmailVerifications } from './email-verifications.service.js';
import { ForgottenPasswords } from './forgotten-passwords.service.js';
import { askedPage, donePage, forgotPage, newPasswordPage, verifyPage } from './mailed-pages.js';
import { ResetPasswordDto } from './password-reset.dto.js';
import { PasswordResets } from './password-resets.service.js';

/** What a form of ours sent; anything else may have been sent in its place. */
type Form = Readonly<Record<string, unknown>> | undefined;

/** A page that shows its form again, with what is wrong. */
type FormPage = (
  look: PageLook,
  form: { readonly csrfToken: string; readonly problem: string | null },
) => string;

const TYPED_LENGTH_MAX = 254;

/** The pages of mails. What a link does is done by the button of its page: programs that read mail follow links. */
@ApiExcludeController()
@Public()
@UseFilters(AuthorizeErrorFilter)
@Controller('oauth')
export class MailedPagesController {
  private readonly validation = new CompiledValidationPipe();

  constructor(
    private readonly sessions: BrowserSessions,
    private readonly forgotten: ForgottenPasswords,
    private readonly resets: PasswordResets,
    private readonly verifications: EmailVerifications,
    private readonly limits: RateLimits,
    private readonly looks: PageLooks,
    private readonly languages: LanguagesOfRequests,
  ) {}

  @Get('forgot-password')
  showForgot(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.show(request, response, forgotPage);
  }

  @Post('forgot-password')
  @FormBody()
  forgot(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer({ form, request, response }, forgotPage, async (look) => {
      const typed = textOf(form?.['typed']).trim();
      if (typed !== '' && typed.length <= TYPED_LENGTH_MAX) {
        await this.forgotten.ask(typed, this.limits.addressBucketOf(request));
      }
      return askedPage(look);
    });
  }

  @Get('reset-password')
  showReset(@Req() request: Request, @Res() response: Response): Promise<void> {
    const token = textOf(request.query['token']);
    return this.show(request, response, (look, form) => newPasswordPage(look, { ...form, token }));
  }

  @Post('reset-password')
  @Audited({ sometimes: true })
  @FormBody()
  reset(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const token = textOf(form?.['token']);
    const again: FormPage = (look, shown) => newPasswordPage(look, { ...shown, token });
    return this.answer({ form, request, response }, again, async (look) => {
      const body = { token, new_password: form?.['new_password'] };
      const metatype = ResetPasswordDto;
      const read = (await this.validation.transform(body, { type: 'body', metatype })) as ResetPasswordDto;
      await this.resets.reset(read);
      const { done, doneWhat } = look.words.newPassword;
      return donePage(look, done, doneWhat);
    });
  }

  @Get('verify-email')
  showVerify(@Req() request: Request, @Res() response: Response): Promise<void> {
    const token = textOf(request.query['token']);
    return this.show(request, response, (look, form) => verifyPage(look, { ...form, token }));
  }

  @Post('verify-email')
  @Audited({ sometimes: true })
  @FormBody()
  verify(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const token = textOf(form?.['token']);
    const again: FormPage = (look, shown) => verifyPage(look, { ...shown, token });
    return this.answer({ form, request, response }, again, async (look) => {
      await this.verifications.verify(token);
      const { done, doneWhat } = look.words.verify;
      return donePage(look, done, doneWhat);
    });
  }

  private async show(request: Request, response: Response, page: FormPage): Promise<void> {
    this.languages.keepChoice(request, response);
    const { csrfToken } = await this.sessions.open(request, response);
    sendFormPage(response, 200, page(this.looks.of(request), { csrfToken, problem: null }));
  }

  /** Does what a form of ours asks for, or shows it again with the reason why not. */
  private async answer(
    { form, request, response }: { form: Form; request: Request; response: Response },
    page: FormPage,
    work: (look: PageLook) => Promise<string>,
  ): Promise<void> {
    const session = await this.sessions.open(request, response);
    const look = this.looks.of(request);
    const { csrfToken } = session;
    if (!isOwnForm(session, form?.['csrf_token'], request)) {
      sendFormPage(response, 403, page(look, { csrfToken, problem: look.words.problems.expired }));
      return;
    }
    try {
      sendFormPage(response, 200, await work(look));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      response.set({ ...error.headers });
      sendFormPage(response, error.status, page(look, { csrfToken, problem: refusalWords(look, error) }));
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
