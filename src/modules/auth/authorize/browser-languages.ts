import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { LanguagesOfRequests } from '../../../kit/words/languages-of-requests.js';
import { keepFirstLanguage } from '../../users/user-language.js';
import type { UserEntity } from '../../users/user.entity.js';

/** Lets browser and user agree on a language at each log-in. */
@Injectable()
export class BrowserLanguages {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly languages: LanguagesOfRequests,
  ) {}

  /** The user's own counts in every browser; who has none gets the one chosen before the log-in. */
  async settle(user: UserEntity, request: Request, response: Response): Promise<void> {
    const chosen = this.languages.chosenBy(request);
    const language = await keepFirstLanguage(this.database.manager, user, chosen);
    if (language !== null && language !== chosen) this.languages.keep(language, response);
  }
}
