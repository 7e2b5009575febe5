/** Shared by the payout specs: a house with accounts at banks, owners with approved KYC, and a bank's answers. */
import { XMLParser } from 'fast-xml-parser';
import { expect } from 'vitest';
import type { Config, Environment } from '../../../src/kit/config/config.js';
import { startTestApp, type TestApp, type TestAppOverrides, variablesOf } from '../app.js';
import { queryOnce } from '../core.js';
import type { Caller, Json, Reply } from '../caller.js';

export const IBAN = 'DE89370400440532013000';
export const HOLDER = 'Anna Maria Eriksson';

/** The settings of a house that has accounts with two banks. */
export const BANKS: Environment = {
  PAYOUT_COMPANY_NAME: 'Tradepost Example',
  PAYOUT_SEPA_IBAN: 'FR1420041010050500013M02606',
  PAYOUT_SEPA_BIC: 'PSSTFRPPXXX',
  PAYOUT_ACH_ROUTING_NUMBER: '121000248',
  PAYOUT_ACH_COMPANY_ID: '1234567890',
  PAYOUT_ACH_BANK_NAME: 'WELLS FARGO',
};

/** Starts a service whose own cut-offs make no file during a spec: all of them are marked as done. */
export async function startBank(
  settings: Environment = {},
  logLevel: Config['logLevel'] = 'fatal',
  { environment, ...more }: TestAppOverrides = {},
): Promise<TestApp> {
  const app = await startTestApp({
    environment: { ...BANKS, ...settings, ...variablesOf(environment) },
    logLevel,
    ...more,
  });
  await holdFiles(app);
  return app;
}

/** Marks all cut-offs as done, so that payouts wait until a spec asks for a file. */
export async function holdFiles({ config }: TestApp): Promise<void> {
  await queryOnce(
    config.databaseUrl!,
    `INSERT INTO payout_rails (rail, last_run_on) VALUES ('sepa', '2999-12-31'), ('ach', '2999-12-31')
     ON CONFLICT (rail) DO UPDATE SET last_run_on = '2999-12-31'`,
  );
}

export async function addIban(owner: Caller, more: Json = {}): Promise<string> {
  const body = { type: 'iban', holder_name: HOLDER, iban: IBAN, currency: 'EUR', ...more };
  return added(await owner.post('/payout-accounts', body));
}

export async function addUsAccount(owner: Caller, more: Json = {}): Promise<string> {
  return added(
    await owner.post('/payout-accounts', {
      type: 'ach',
      holder_name: HOLDER,
      routing_number: '021000021',
      account_number: '000123456789',
      account_type: 'checking',
      currency: 'USD',
      ...more,
    }),
  );
}

function added(reply: Reply): string {
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body.payout_account_id;
}

export async function payOut(owner: Caller, account: string, amount: string, more: Json = {}): Promise<Json> {
  const body = { payout_account_id: account, amount, currency: 'EUR', reference: 'Winnings', ...more };
  const reply = await owner.post('/payouts', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

/** Makes the files of a rail, of which there must be exactly one, and returns it with its content. */
export async function closeBatch(operator: Caller, rail: string): Promise<{ file: Json; content: string }> {
  const reply = await operator.post('/admin/payout-files', { rail });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  expect(reply.body.data).toHaveLength(1);
  const [file] = reply.body.data;
  return { file, content: await contentOf(operator, file.file_id) };
}

export async function contentOf(operator: Caller, fileId: string): Promise<string> {
  const response = await fetch(`${operator.url}/admin/payout-files/${fileId}/content`, {
    headers: { authorization: `Bearer ${await operatorToken(operator.url)}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response.text();
}

/** Files are not JSON, which is all that a `Caller` reads. */
async function operatorToken(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: 'admin-secret',
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

export function upload(operator: Caller, report: string): Promise<Reply> {
  return operator.send('POST', '/admin/payout-files/reports', report, {
    'content-type': 'application/octet-stream',
  });
}

/** Parses a payment order as a bank's software would. */
export function readPain001(content: string): Json {
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseTagValue: false,
    isArray: (name) => name === 'CdtTrfTxInf',
  });
  return parser.parse(content).Document.CstmrCdtTrfInitn;
}

export interface Verdict {
  readonly id: string;
  readonly status: string;
  readonly code?: string;
}

/** What the bank says of single payments of an order, and of the whole of it. */
export function pain002(
  messageId: string,
  verdicts: readonly Verdict[],
  ofAll?: Omit<Verdict, 'id'>,
): string {
  const reason = (code: string | undefined): string =>
    code === undefined
      ? ''
      : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn><AddtlInf>As told</AddtlInf></StsRsnInf>`;
  const transactions = verdicts.map(
    ({ id, status, code }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${status}</TxSts>${reason(code)}</TxInfAndSts>`,
  );
  const groupStatus = ofAll === undefined ? '' : `<GrpSts>${ofAll.status}</GrpSts>${reason(ofAll.code)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>BANK-1</MsgId><CreDtTm>2026-11-23T08:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${groupStatus}</OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}-1</OrgnlPmtInfId>${transactions.join('')}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>`;
}

/** A file of returns, made of the entries of a file that was sent. */
export function nachaReturns(sent: string, code: string): string {
  const details = sent.split('\n').filter((line) => line.startsWith('6'));
  const lines = details.flatMap((line, place) => {
    const trace = line.slice(79);
    const own = `02100002${String(place + 1).padStart(7, '0')}`;
    return [
      `621${line.slice(3, 78)}1${own}`,
      `799${code}${trace}${' '.repeat(6)}${line.slice(3, 11)}${' '.repeat(44)}${own}`,
    ];
  });
  const total = details.reduce((sum, line) => sum + Number(line.slice(29, 39)), 0);
  const hash = details.reduce((sum, line) => sum + Number(line.slice(3, 11)), 0);
  const sums = `${String(hash).padStart(10, '0')}${'0'.repeat(12)}${String(total).padStart(12, '0')}`;
  const count = String(lines.length);
  return [
    `1011234567890 0210000212611240930A094101${'TRADEPOST'.padEnd(23)}${'JPMORGAN'.padEnd(23)}${' '.repeat(8)}`,
    `5220${'TRADEPOST'.padEnd(36)}1234567890PPDPAYOUT          2611233281021000020000001`,
    ...lines,
    `8220${count.padStart(6, '0')}${sums}1234567890${' '.repeat(25)}021000020000001`,
    `9000001000001${count.padStart(8, '0')}${sums}${' '.repeat(39)}`,
  ].join('\n');
}

/** All that is left of a payout's way, as its owner is shown it. */
export async function statusesOf(owner: Caller, payoutId: string): Promise<string[]> {
  const { body } = await owner.get(`/payouts/${payoutId}/history`);
  return body.data.map(({ status }: Json) => status);
}
