import type { Page } from './page.js';
import { isOperator, type User } from './session.js';
import { pluginPages } from './plugin-pages.jsx';
import { toldByService } from './router.jsx';
import { words } from './words/index.js';

/** In the order of the navigation. */
const OWN_PAGES: readonly Page[] = [
  {
    path: 'markets',
    title: words.markets.title,
    group: 'trading',
    needs: 'nobody',
    shows: ['markets'],
    depth: 1,
    titleOf: ([marketId]) => marketId!,
    load: async () => (await import('./markets/page.jsx')).Markets,
  },
  {
    path: 'portfolio',
    title: words.portfolio.title,
    group: 'trading',
    needs: 'user',
    shows: ['markets'],
    depth: 2,
    load: async () => (await import('./portfolio/page.jsx')).Portfolio,
  },
  {
    path: 'wallets',
    title: words.wallets.title,
    group: 'trading',
    needs: 'user',
    shows: ['wallets'],
    depth: 3,
    load: async () => (await import('./wallets/page.jsx')).Wallets,
  },
  {
    path: 'banking',
    title: words.banking.title,
    group: 'trading',
    needs: 'user',
    shows: ['banking'],
    depth: 2,
    load: async () => (await import('./banking/page.jsx')).Banking,
  },
  {
    path: 'chat',
    title: words.chat.title,
    group: 'trading',
    needs: 'user',
    shows: ['chat'],
    depth: 2,
    load: async () => (await import('./chat/page.jsx')).Chat,
  },
  {
    path: 'news',
    title: words.news.title,
    group: 'trading',
    needs: 'nobody',
    shows: ['news'],
    depth: 1,
    load: async () => (await import('./news/page.jsx')).News,
  },
  {
    path: 'proof',
    title: words.proof.title,
    group: 'trading',
    needs: 'nobody',
    shows: ['proof'],
    depth: 0,
    load: async () => (await import('./proof/page.jsx')).Proof,
  },
  {
    path: 'settings',
    title: words.settings.title,
    group: 'trading',
    needs: 'user',
    depth: 3,
    load: async () => (await import('./settings/page.jsx')).Settings,
  },
  {
    path: 'desk',
    title: words.desk.title,
    group: 'desk',
    needs: 'operator',
    roles: ['support', 'compliance', 'finance', 'markets', 'content', 'security'],
    depth: 1,
    load: async () => (await import('./desk/inbox/page.jsx')).Inbox,
  },
  {
    path: 'desk/markets',
    title: words.deskMarkets.title,
    group: 'desk',
    needs: 'operator',
    roles: ['markets'],
    shows: ['markets'],
    depth: 1,
    load: async () => (await import('./desk/markets/page.jsx')).MarketDesk,
  },
  {
    path: 'desk/event-groups',
    title: words.eventGroups.title,
    group: 'desk',
    needs: 'operator',
    roles: ['markets'],
    shows: ['markets'],
    depth: 1,
    load: async () => (await import('./desk/groups/page.jsx')).GroupDesk,
  },
  {
    path: 'desk/fees',
    title: words.deskFees.title,
    group: 'desk',
    needs: 'operator',
    roles: ['finance', 'markets', 'read'],
    shows: ['markets'],
    depth: 1,
    load: async () => (await import('./desk/fees/page.jsx')).FeeDesk,
  },
  {
    path: 'desk/people',
    title: words.deskPeople.title,
    group: 'desk',
    needs: 'operator',
    roles: ['support', 'compliance', 'finance', 'markets', 'security'],
    depth: 2,
    load: async () => (await import('./desk/people/page.jsx')).People,
  },
  {
    path: 'desk/kyc',
    title: words.deskKyc.title,
    group: 'desk',
    needs: 'operator',
    roles: ['compliance'],
    shows: ['banking'],
    depth: 1,
    load: async () => (await import('./desk/kyc/page.jsx')).Identities,
  },
  {
    path: 'desk/payouts',
    title: words.deskPayouts.title,
    group: 'desk',
    needs: 'operator',
    roles: ['finance'],
    shows: ['banking'],
    depth: 1,
    load: async () => (await import('./desk/payouts/page.jsx')).PayoutDesk,
  },
  {
    path: 'desk/texts',
    title: words.deskTexts.title,
    group: 'desk',
    needs: 'operator',
    roles: ['content', 'read'],
    shows: ['news', 'blog'],
    depth: 2,
    load: async () => (await import('./desk/texts/page.jsx')).Texts,
  },
  {
    path: 'desk/webhooks',
    title: words.deskWebhooks.title,
    group: 'desk',
    needs: 'operator',
    roles: ['support', 'security'],
    depth: 1,
    load: async () => (await import('./desk/webhooks/page.jsx')).WebhookDesk,
  },
  {
    path: 'desk/audit',
    title: words.deskAudit.title,
    group: 'desk',
    needs: 'operator',
    roles: ['security'],
    depth: 0,
    load: async () => (await import('./desk/audit/page.jsx')).Audit,
  },
  {
    path: 'desk/health',
    title: words.deskHealth.title,
    group: 'desk',
    needs: 'operator',
    roles: ['finance', 'security', 'read'],
    depth: 0,
    load: async () => (await import('./desk/health/page.jsx')).Health,
  },
];

/** Groups that this service does without. */
const LEFT_OUT: ReadonlySet<string> = new Set(toldByService('left-out')?.split(' '));

const PAGES: readonly Page[] = [
  ...OWN_PAGES.filter(({ shows }) => shows?.every((group) => LEFT_OUT.has(group)) !== true),
  ...pluginPages(),
];

export interface FoundPage {
  readonly page: Page;
  readonly rest: readonly string[];
}

/** The page at a path such as `markets/BTC-USD`, and what is behind its own; the first page is also at no path at all. */
export function pageAt(path: string): FoundPage | undefined {
  if (path === '') return { page: PAGES[0]!, rest: [] };
  const page = PAGES.filter((each) => path === each.path || path.startsWith(`${each.path}/`)).sort(
    (a, b) => b.path.length - a.path.length,
  )[0];
  if (page === undefined) return undefined;
  const rest = path.slice(page.path.length).split('/').filter(Boolean).map(decodeURIComponent);
  return rest.length <= page.depth ? { page, rest } : undefined;
}

/** What stands in a navigation for this user. */
export function navigationOf(group: Page['group'], user: User | null): readonly Page[] {
  return PAGES.filter((page) => page.group === group && mayOpen(page, user));
}

export function mayOpen({ needs, roles }: Page, user: User | null): boolean {
  if (needs === 'nobody') return true;
  return needs === 'user' ? user !== null : isOperator(user, roles);
}
