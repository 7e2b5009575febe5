import { Injectable } from '@nestjs/common';
import type { HasDemoData } from '../../kit/module/tradepost-module.js';
import { NewsAuthoringService } from './items/news-authoring.service.js';
import type { WriteNewsDto } from './items/news-item.dto.js';

@Injectable()
export class NewsDemo implements HasDemoData {
  constructor(private readonly news: NewsAuthoringService) {}

  async seedDemo(): Promise<void> {
    await this.news.ensure(demoNews(new Date()));
  }
}

const HOUR_MS = 3_600_000;

type DemoNews = WriteNewsDto & { readonly hoursAgo: number };

/** What the news say on the first day, the oldest first. */
function demoNews(now: Date): WriteNewsDto[] {
  return NEWS.map(({ hoursAgo, ...item }) => ({
    ...item,
    language: 'en',
    published_at: new Date(now.getTime() - hoursAgo * HOUR_MS).toISOString(),
  }));
}

const NEWS: readonly DemoNews[] = [
  {
    hoursAgo: 98,
    headline: 'Three new markets open on Tradepost',
    summary: 'Bitcoin and ether against the dollar, and one market on the weather in Lisbon.',
    category: 'Announcements',
    symbols: ['BTC-USD', 'ETH-USD', 'RAIN-LISBON'],
    author: 'Inês Carvalho',
    content: `<p>Three markets are open from today:</p>
<ul>
<li><strong>BTC-USD</strong> and <strong>ETH-USD</strong>: bitcoin and ether against the dollar, without fees.</li>
<li><strong>RAIN-LISBON</strong>: a contract that pays one dollar if it rains in Lisbon, and nothing if it does not.</li>
</ul>
<p>If order books are new to you, begin with
<a href="/blog/posts/how-an-order-book-works">how an order book works</a>.</p>`,
  },
  {
    hoursAgo: 73,
    headline: 'Ether now trades against USDC, too',
    summary: 'The first market with fees: 0.1 % for makers, 0.2 % for takers.',
    category: 'Announcements',
    symbols: ['ETH-USDC'],
    author: 'Tomás Brandt',
    content: `<p>ETH-USDC is open. Who waits in the book pays 0.1 % of what is traded, who comes to trade at once
0.2 %. The fees of a market are part of its public details:</p>
<pre><code class="language-sh">curl -s http://127.0.0.1:3000/markets/ETH-USDC</code></pre>`,
  },
  {
    hoursAgo: 50,
    headline: 'Room to spare: bitcoin fees at their lowest in months',
    summary: 'A quiet weekend has emptied the queue of unconfirmed transactions.',
    category: 'Crypto',
    source: 'Harbour Wire',
    symbols: ['BTC-USD'],
    author: 'Mette Lindqvist',
    content: `<p>Blocks have had room to spare since Saturday, and those who need not hurry have used it: many wallets
gathered small coins into larger ones, which is dear when the network is busy.</p>
<p>“It is like tidying the cellar,” says one of them. “Nobody does it at rush hour.”</p>`,
  },
  {
    hoursAgo: 29,
    headline: 'Stakers wait longer to leave as validators queue up',
    summary: 'Leaving takes days instead of hours, although few seem to mind.',
    category: 'Crypto',
    source: 'Harbour Wire',
    symbols: ['ETH-USD', 'ETH-USDC'],
    author: 'Jonas Okafor',
    content: `<p>The queue of validators that want to leave has grown to several days. The protocol lets only so many go
at once, so that nobody can take a large part of the stake away in a moment.</p>
<blockquote>A queue is not a problem. A queue that nobody can see would be one.</blockquote>`,
  },
  {
    hoursAgo: 12,
    headline: 'Atlantic front reaches Portugal earlier than expected',
    summary: 'Forecasters now see rain in Lisbon as likely as not.',
    category: 'Weather',
    source: 'Cabo da Roca Weather',
    symbols: ['RAIN-LISBON'],
    author: 'Rita Sequeira',
    content: `<p>The front that was due at the end of the week has gathered speed over the Azores. Models agree on its way,
but not on its hour:</p>
<table>
<thead><tr><th>Model</th><th>Chance of rain in Lisbon</th></tr></thead>
<tbody><tr><td>Northern</td><td>55 %</td></tr><tr><td>Atlantic</td><td>48 %</td></tr></tbody>
</table>
<p>How to read such a chance as a price is told in
<a href="/blog/posts/prices-between-zero-and-one">prices between zero and one</a>.</p>`,
  },
  {
    hoursAgo: 3,
    headline: 'Webhooks tell you the news',
    summary: 'Have every item sent to your own service, or only those about your markets.',
    category: 'Announcements',
    author: 'Inês Carvalho',
    content: `<p>Programs need not ask for news any more. Register an address, say which markets or categories matter, and
each item comes to you as it is published, signed by the rules of
<a href="https://www.standardwebhooks.com/">Standard Webhooks</a>. If your service is away for a while, we try again
for three days.</p>
<p>Every call can be tried in the <a href="/docs">documentation</a>.</p>`,
  },
];
