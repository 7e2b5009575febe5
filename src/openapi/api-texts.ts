import { DEMO_CLIENTS, DEMO_EXPLORER_CLIENT, DEMO_BROWSER_CLIENT } from '../demo/demo-data.js';
import type { DemoCredentials } from '../kit/server/openapi/api-texts.js';
import { ERROR_MEANINGS } from './error-meanings.js';
import { FORMER_ACTIONS } from './former-actions.js';
import type { ApiTexts } from '../kit/server/openapi/api-texts.js';
import { RESPONSE_EXAMPLES } from './generated/response-examples.js';
import { OPERATION_IDS } from './operation-ids.js';

/** The groups of the interface, in its order, as the document's tags. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Pets', 'The sample catalogue: a Swagger Petstore that existing clients can talk to.'],
  ['Store', 'Inventories and purchase orders of the sample catalogue.'],
  ['Users', 'Users of the service, log-in and log-out.'],
  ['Auth', 'Access tokens, clients and API keys.'],
  ['Markets', 'Markets, order books, orders, trades, positions and balances.'],
  ['Exchange', 'Quotes, matched bets, fills, profit and loss.'],
  ['Wallets', 'Custody wallets, addresses, signatures and transfers.'],
  ['Banking', 'KYC, payout accounts and payouts.'],
  ['Proof', 'What anyone may check of the books: signed heads of the journal, receipts, and what is owed.'],
  ['News', 'News items, and webhooks about them and all other groups.'],
  ['Chat', 'Rooms, messages and their realtime streams.'],
  ['Blog', 'Posts, categories and pages.'],
  ['Admin', 'Health, metrics and what operators do.'],
];

/** The client of each page of Swagger UI, and the one that users let act for them there. */
function demoCredentials(name: string): Readonly<Record<string, DemoCredentials>> {
  const { clientId, secret } = DEMO_CLIENTS.find((client) => client.clientId === name)!;
  return {
    client_credentials: { clientId, clientSecret: secret! },
    authorization_code: { clientId: DEMO_EXPLORER_CLIENT.clientId },
    implicit: { clientId: DEMO_BROWSER_CLIENT.clientId },
  };
}

/** What the document of this service's API says of its groups. */
export const API_TEXTS: ApiTexts = {
  tags: TAGS,
  sampleTags: ['Pets', 'Store'],
  webhookTag: 'News',
  registersWebhooks: 'POST /news/webhooks',
  logInPath: '/user/login',
  demoCredentials: { trading: demoCredentials('demo'), operator: demoCredentials('admin') },
  errorMeanings: ERROR_MEANINGS,
  operationIds: OPERATION_IDS,
  formerActions: FORMER_ACTIONS,
  answers: RESPONSE_EXAMPLES,
};
