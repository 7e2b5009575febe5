import { Injectable } from '@nestjs/common';
import type { HasDemoData } from '../../kit/module/tradepost-module.js';
import { PageAuthoringService } from './pages/page-authoring.service.js';
import type { WritePageDto } from './pages/page.dto.js';
import { PostAuthoringService } from './posts/post-authoring.service.js';
import type { WritePostDto } from './posts/post.dto.js';

/** The author of the demo texts. */
const WRITER = 'The Tradepost team';

const DAY_MS = 86_400_000;

type DemoPost = WritePostDto & { readonly slug: string };
type DemoPage = WritePageDto & { readonly slug: string };

@Injectable()
export class BlogDemo implements HasDemoData {
  constructor(
    private readonly posts: PostAuthoringService,
    private readonly pages: PageAuthoringService,
  ) {}

  async seedDemo(): Promise<void> {
    for (const post of demoPosts(new Date())) await this.posts.ensure(WRITER, post);
    for (const page of DEMO_PAGES) await this.pages.ensure(WRITER, page);
  }
}

/** What the blog says on its first day, the oldest first: one text a week, whatever day it is. */
function demoPosts(now: Date): DemoPost[] {
  return POSTS.map((post, place) => {
    const weeksAgo = POSTS.length - place;
    const publishedAt = new Date(now.getTime() - weeksAgo * 7 * DAY_MS);
    return { ...post, status: 'published', published_at: publishedAt.toISOString() };
  });
}

const POSTS: readonly DemoPost[] = [
  {
    slug: 'how-an-order-book-works',
    title: 'How an order book works',
    category: 'Guides',
    tags: ['Trading', 'Basics'],
    author: 'Inês Carvalho',
    markdown: `A market has no price of its own. It has people who would buy and people who would sell, and the
**order book** is the list of both.

## Two sides

Offers to buy are called *bids*, offers to sell *asks*. The best bid is the highest one, the best ask the lowest:

| Bids | Price | Asks |
|---:|:---:|---:|
| | 60,010.00 | 0.40 |
| | 60,000.00 | 0.25 |
| 0.30 | 59,990.00 | |
| 0.75 | 59,980.00 | |

The gap between 59,990.00 and 60,000.00 is the *spread*. As long as nobody crosses it, nothing is traded.

## Who comes first

When somebody crosses it, the best price is served first, and at one price whoever came first: this is called
**price-time priority**. The trade happens at the price of the order that was waiting. Whoever waits is the
*maker*, whoever comes to trade at once is the *taker*.

An example. You send an order to buy 0.30 at 60,010.00:

1. You get 0.25 at 60,000.00, which is all that is offered there, although you would have paid more.
2. You get the other 0.05 at 60,010.00.
3. The best ask is now 60,010.00, with 0.35 left.

## See it yourself

Every book is public. This is the one of bitcoin, best prices first:

\`\`\`sh
curl -s http://127.0.0.1:3000/markets/BTC-USD/orderbook
\`\`\`

Each answer carries a \`sequence\` that grows by one with every change, so you always know whether you have
missed something.
`,
  },
  {
    slug: 'prices-between-zero-and-one',
    title: 'Prices between zero and one',
    category: 'Guides',
    tags: ['Event markets', 'Basics'],
    author: 'Tomás Brandt',
    markdown: `Will it rain in Lisbon? On an event market you can have an opinion about that, and be paid for being right.

A contract settles at **1 dollar** if it rains and at **0** if it does not. So its price is always somewhere in
between, and it reads like a probability: at 0.35, the market gives rain about one chance in three.

## Backing and laying

- To **back** rain, buy. At 0.35 a contract costs 35 cents and pays a dollar, or nothing.
- To **lay** rain, sell. You put down the other 65 cents, and keep the dollar if it stays dry.

Together the two have paid exactly one dollar, which waits in the pool of the market until the weather has
decided. Nobody can owe more than was put down, whatever happens.

> The pool of a market always equals what is at stake in it. Our operators check that, and so does the service, all the time.

## Odds

If you are used to decimal odds, divide one by the price: 0.35 is about 2.86. Ask for a quote and you see both,
together with what you would win:

\`\`\`json
{ "market_id": "RAIN-LISBON", "side": "buy", "stake": "20" }
\`\`\`
`,
  },
  {
    slug: 'what-happens-to-your-order-when-the-power-goes',
    title: 'What happens to your order when the power goes',
    category: 'Inside Tradepost',
    tags: ['Reliability', 'Engineering'],
    author: 'Inês Carvalho',
    markdown: `Here is a test that we like. Place an order, wait for the answer, and pull the plug. Start the service again:
your order is there.

That sounds like the least one could ask, and yet it is easy to get wrong. An answer is a promise, so it may only
be given when what it promises can no longer be lost.

## One writer

All that moves money or orders goes through a single writer. It takes whatever is waiting, works out the outcome,
and commits all of it in **one transaction**: orders, trades, balances, and a row of the journal. Only then are the
answers sent.

While one batch is being committed, the next one gathers. So the busier it gets, the more orders share a commit.

## Books that balance

Every movement of money has two sides. What one account gains, another one loses, and the sum over all accounts
and the outside world is zero at every moment. You need not take our word for it:

\`\`\`sh
npm run journal:verify
\`\`\`

replays everything that ever happened and ends at the same balances, or names the first row that differs.
`,
  },
  {
    slug: 'keeping-your-account-safe',
    title: 'Keeping your account safe',
    category: 'Guides',
    tags: ['Security'],
    author: 'Tomás Brandt',
    markdown: `Most accounts that are lost are not broken into. They are opened with a key that was lying around. Four habits
prevent nearly all of it.

1. **Give every program its own key.** A program that only reads prices needs no credential at all; one that reads
   balances needs \`account:read\` and nothing more.
2. **Take keys away** as soon as they are not needed. They end at once.
3. **Never put a key into an address.** Addresses end up in logs, histories and screenshots. Keys belong in headers.
4. **Let a second person agree** where it matters. Large transfers out of a wallet can be made to wait for one.

~~We will ask for your password by mail.~~ We never do. Whoever asks you for it is not us.
`,
  },
  {
    slug: 'welcome-to-tradepost',
    title: 'Welcome to Tradepost',
    category: 'News',
    tags: ['Announcements'],
    author: 'Inês Carvalho',
    markdown: `Tradepost is open. You can trade bitcoin and ether, take a view on the weather, keep money in wallets of your own,
and have it paid out to your bank.

## Where to begin

- Read [how an order book works](how-an-order-book-works), if you have not traded before.
- Look at [prices between zero and one](prices-between-zero-and-one) for markets on events.
- Make [your account safe](keeping-your-account-safe) before you need it to be.

Everything that you can do, a program can do for you: the [documentation](/docs) lets you try every call.

Who we are is on the page [about us](/blog/pages/about). Tell us what you miss.
`,
  },
];

const DEMO_PAGES: readonly DemoPage[] = [
  {
    slug: 'about',
    title: 'About us',
    status: 'published',
    markdown: `Tradepost is a place to trade, to keep what you own, and to know at every moment what that is.

We believe three things about an exchange:

- **An answer is a promise.** An order that was accepted is still there after a crash.
- **Money is counted, not estimated.** Every unit is in exactly one place, and the sum is always zero.
- **Anyone may check.** The books are public, the journal can be replayed.

This is a demonstration: its money is not real, and neither are its authors. The software is.
`,
  },
  {
    slug: 'terms',
    title: 'Terms of use',
    status: 'published',
    markdown: `These terms are those of a demonstration. Replace them with your own before you open to the public.

## 1. Your account

You keep your credentials to yourself, and answer for what is done with them. Tell us at once when one is lost;
we end it.

## 2. Orders

An order binds you from the moment it is accepted until it is filled, cancelled or expires. Trades are final. If a
market was settled by mistake, the settlement is reversed in the open, with entries that everyone involved can see.

## 3. Fees

The fees of a market are shown with it. They are charged when an order is filled, never before.

## 4. Availability

We may halt a market to protect those who trade on it. While it is halted you can cancel orders, but not place any.

## 5. Money out

Payouts and transfers may need a check of your identity, or the consent of a second person. Money that is on its way
is shown as held until it has arrived.
`,
  },
];
