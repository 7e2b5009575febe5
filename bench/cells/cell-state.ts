/** What a cell has in memory: the real engine and its side of the transfers between cells. Made anew by a replay. */
import type { Command, CommandResult, Outcome } from '../../src/domain/engine/commands.js';
import type { Changes } from '../../src/domain/engine/changes.js';
import { Engine } from '../../src/domain/engine/engine.js';
import { StateHash } from '../../src/domain/engine/state-hash.js';
import {
  type CreditMessage,
  IncomingTransfers,
  OutgoingTransfers,
  transferKey,
  type TransferRequest,
  type VerdictMessage,
} from './transfer-protocol.js';

export type CellCommand =
  | { readonly kind: 'engine'; readonly command: Command }
  /** Begins a transfer to another cell. */
  | { readonly kind: 'send'; readonly request: TransferRequest }
  | CreditMessage
  | VerdictMessage;

export interface Applied {
  /** The engine's answer; null for a message that comes late or twice. */
  readonly outcome: Outcome | null;
  /** Whether anything changed, so that it belongs into the journal. */
  readonly isChange: boolean;
  /** The answer to the sender of a credit, to be sent once the change is durable. */
  readonly message: VerdictMessage | null;
}

const NOTHING: Applied = { outcome: null, isChange: false, message: null };

/** The rail that stands for another cell in a cell's ledger. */
export function railOf(cell: string): string {
  return `cell:${cell}`;
}

export class CellState {
  readonly engine = new Engine();
  readonly outgoing: OutgoingTransfers;
  readonly incoming = new IncomingTransfers();
  private readonly hash = new StateHash();
  /** Accounts by their owners. */
  private readonly accounts = new Map<string, number>();

  constructor(private readonly cell: string) {
    this.outgoing = new OutgoingTransfers(cell);
  }

  beginBatch(timeMs: number): Changes {
    return this.engine.beginBatch(timeMs);
  }

  apply(command: CellCommand): Applied {
    switch (command.kind) {
      case 'engine': {
        const outcome = this.run(command.command);
        return { outcome, isChange: outcome.ok, message: null };
      }
      case 'send':
        return this.send(command.request);
      case 'credit':
        return this.credit(command);
      case 'verdict':
        return this.end(command);
    }
  }

  /** Checks what the batch changed, and renews the hash of the state. @throws InvariantError */
  seal(changes: Changes): string {
    this.engine.checkBatch();
    this.hash.update(changes);
    return this.hash.total(this.engine.state.sequence);
  }

  accountOf(owner: string): number | undefined {
    return this.accounts.get(owner);
  }

  owners(): string[] {
    return [...this.accounts.keys()];
  }

  private send(request: TransferRequest): Applied {
    const { to, owner, asset, amount } = request;
    const outcome = this.run({
      type: 'place_hold',
      ownerKind: 'transfer',
      ownerId: transferKey(this.cell, to, this.outgoing.nextNumber(to)),
      accountId: this.accounts.get(owner) ?? 0,
      asset,
      amount,
    });
    if (!outcome.ok) return { outcome, isChange: false, message: null };
    this.outgoing.start(request);
    return { outcome, isChange: true, message: null };
  }

  private credit(credit: CreditMessage): Applied {
    const decided = this.incoming.verdictOf(credit);
    if (decided === 'ended') return NOTHING;
    if (decided !== undefined) return { ...NOTHING, message: verdictFor(credit, decided) };
    const { from, to, number, owner, asset, amount } = credit;
    const outcome = this.run({
      type: 'move_money',
      debit: { rail: railOf(from) },
      credit: { accountId: this.accounts.get(owner) ?? this.openAccount(owner) },
      asset,
      amount,
      reason: 'transfer',
      reference: transferKey(from, to, number),
    });
    const verdict = outcome.ok ? 'credited' : 'refused';
    this.incoming.decide(credit, verdict);
    return { outcome, isChange: true, message: verdictFor(credit, verdict) };
  }

  private end({ from, number, verdict }: VerdictMessage): Applied {
    const transfer = this.outgoing.find(from, number);
    if (transfer === undefined) return NOTHING;
    const hold = { ownerKind: 'transfer', ownerId: transferKey(this.cell, from, number) } as const;
    const result =
      verdict === 'credited'
        ? this.demand({
            type: 'pay_from_hold',
            ...hold,
            credit: { rail: railOf(from) },
            amount: null,
            reason: 'transfer',
          })
        : this.demand({ type: 'release_hold', ...hold });
    this.outgoing.end(transfer);
    return { outcome: { ok: true, result }, isChange: true, message: null };
  }

  /** An owner's first credit in a cell opens the account there. */
  private openAccount(owner: string): number {
    const opened = this.demand({ type: 'create_account', kind: 'trading', name: owner, owner });
    if (opened.type !== 'account') throw new Error('no account was opened');
    return opened.accountId;
  }

  private run(command: Command): Outcome {
    const outcome = this.engine.apply(command);
    if (outcome.ok && outcome.result.type === 'account' && command.type === 'create_account')
      this.accounts.set(command.owner ?? command.name, outcome.result.accountId);
    return outcome;
  }

  /** Of a hold that is there, nothing may refuse to end it. */
  private demand(command: Command): CommandResult {
    const outcome = this.run(command);
    if (!outcome.ok) throw new Error(`${this.cell}: ${command.type}: ${outcome.refusal.message}`);
    return outcome.result;
  }
}

function verdictFor(credit: CreditMessage, verdict: VerdictMessage['verdict']): VerdictMessage {
  return { kind: 'verdict', from: credit.to, to: credit.from, number: credit.number, verdict };
}
