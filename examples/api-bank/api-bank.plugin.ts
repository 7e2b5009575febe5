import { Injectable } from '@nestjs/common';
import {
  BackgroundLoop,
  Deposits,
  FileRail,
  optional,
  OutgoingHttp,
  Payouts,
  readers,
  Settings,
  TradepostPlugin,
  type DepositCredit,
  type PayoutOutcome,
  type RailTerms,
} from '../../src/index.js';

const BANK_URL = optional(
  'API_BANK_URL',
  readers.baseUrl('https', 'http'),
  'the bank is not asked',
  'The address of the bank’s API, one of OUTGOING_INTERNAL_HOSTS.',
);
const ASK_EVERY_MS = 1_000;

/** The house’s files, but for euros, which a bank with an API takes one by one. */
@Injectable()
class ApiRail extends FileRail {
  override rails(): readonly RailTerms[] {
    return super.rails().map((terms) => (terms.name === 'sepa' ? { ...terms, isSentByPlugin: true } : terms));
  }
}

interface Statement {
  readonly credits: readonly Omit<DepositCredit, 'rail'>[];
  readonly payments: readonly {
    readonly id: string;
    readonly outcome: PayoutOutcome;
    readonly reason: string | null;
  }[];
}

/** On one process at a time. Whatever is cut off is done again: the bank and the service each know what they have done. */
@Injectable()
class Bank {
  readonly duty = new BackgroundLoop({ name: 'API bank', everyMs: ASK_EVERY_MS }, () => this.exchange());

  constructor(
    private readonly settings: Settings,
    private readonly http: OutgoingHttp,
    private readonly payouts: Payouts,
    private readonly deposits: Deposits,
  ) {}

  /** Answers whether more is left, which the next run sees. */
  private async exchange(): Promise<boolean> {
    const url = this.settings.get(BANK_URL);
    if (url === undefined) return false;
    for (const { id, paymentId, amount, currency, holderName, account } of await this.payouts.pending(
      'sepa',
    )) {
      const body = { id, amount, currency, holderName, account };
      const { reference } = await this.call<{ reference: string }>(
        'PUT',
        `${url}/payments/${paymentId}`,
        body,
      );
      await this.payouts.sent(id, reference);
    }
    const { credits, payments } = await this.call<Statement>('GET', `${url}/statement`);
    for (const credit of credits) await this.deposits.credit({ rail: 'api-bank', ...credit });
    for (const { id, outcome, reason } of payments) await this.payouts.report(id, outcome, reason);
    return false;
  }

  private async call<Answer>(method: 'GET' | 'PUT', url: string, json?: object): Promise<Answer> {
    const { status, body } = await this.http.request({
      method,
      url,
      headers: { 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      timeoutMs: 10_000,
      bodyBytesMax: 1_000_000,
      isInternal: true,
      plainHttp: true,
    });
    if (status >= 300) throw new Error(`the bank answered ${status}`);
    return JSON.parse(body.toString()) as Answer;
  }
}

@TradepostPlugin({
  name: 'api-bank',
  compatibility: '^0.1.0',
  settings: [BANK_URL],
  implementations: [ApiRail],
  duties: [Bank],
})
export default class ApiBankPlugin {}
