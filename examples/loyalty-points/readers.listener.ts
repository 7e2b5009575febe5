import { Injectable } from '@nestjs/common';
import { DurableListener, type ListenedEvent, type Statements } from '../../src/index.js';

/** Keeps the headlines of the news, in their order, as a list of a team's own. */
@Injectable()
export class Readers extends DurableListener {
  override readonly name = 'readers';
  override readonly types = ['news.published'];

  override async events(events: readonly ListenedEvent[], transaction: Statements): Promise<void> {
    for (const { data } of events) {
      const { headline } = data as { readonly headline: string };
      await transaction.query('INSERT INTO acme_news_read (headline) VALUES ($1)', [headline]);
    }
  }
}
