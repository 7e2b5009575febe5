import { Injectable } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import type { CoreAnswer, CoreRequest } from '../../core/core.types.js';
import type { MoveMoney, Outcome } from '../../domain/engine/commands.js';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { ApiError } from '../../kit/http/errors.js';
import { Allowances, exclusionWords, type Granted } from './allowances.js';
import { Standings } from './standings.js';

const TRIES_MAX = 20;

/** The way of money into accounts whose owners have limited their deposits. What came over a chain never passes here. */
@Injectable()
export class CreditGate {
  constructor(
    private readonly core: CoreService,
    private readonly standings: Standings,
    private readonly allowances: Allowances,
  ) {}

  /**
   * As `CoreService.submit`, for deposits into one account. Refuses with `self_limit_exceeded`; throws `self_excluded` where
   * its owner is.
   */
  async deposit(
    accountId: number,
    commands: readonly MoveMoney[],
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<CoreAnswer> {
    for (let tries = 1; ; tries++) {
      const granted = await this.grantsFor(accountId, commands);
      const answer = await this.core.submit({
        ...request,
        commands: commands.map((command, i) => withAllowance(command, granted[i])),
      });
      if (tries === TRIES_MAX || !answer.outcomes.every(isOutOfDate)) return explained(granted, answer);
    }
  }

  /** A transfer inside with what the limits of its destination leave, for a command that is sent later. */
  async forTransfer(command: MoveMoney): Promise<MoveMoney> {
    if (!('accountId' in command.credit)) return command;
    const { accountId } = command.credit;
    if (!(await this.standings.isLimited(accountId)) || !(await this.isDeposit(command, accountId)))
      return command;
    const standing = await this.standings.limited(accountId, null);
    if (standing.asOf === null) return command;
    return withAllowance(command, await this.allowances.forDeposits(standing, command.asset));
  }

  /** Money between an owner's trading accounts is none. */
  private async isDeposit({ debit }: MoveMoney, accountId: number): Promise<boolean> {
    if (!('accountId' in debit)) return true;
    const [from, to] = [await this.core.account(debit.accountId), await this.core.account(accountId)];
    return from?.owner !== to?.owner || from?.kind === 'wallet';
  }

  /** What limits leave for each deposit; nothing where there are none. */
  private async grantsFor(accountId: number, commands: readonly MoveMoney[]): Promise<readonly Granted[]> {
    if (!(await this.standings.isLimited(accountId))) return [];
    const standing = await this.standings.limited(accountId, null);
    if (standing.excludedUntil !== null)
      throw new ApiError(REFUSALS.self_excluded, exclusionWords(standing.excludedUntil));
    if (standing.asOf === null) return [];
    return Promise.all(commands.map(({ asset }) => this.allowances.forDeposits(standing, asset)));
  }
}

function withAllowance(command: MoveMoney, granted: Granted | undefined): MoveMoney {
  return granted === undefined ? command : { ...command, allowance: granted.allowance };
}

function isOutOfDate(outcome: Outcome): boolean {
  return !outcome.ok && outcome.refusal.code === 'self_limits_changed';
}

function explained(granted: readonly Granted[], answer: CoreAnswer): CoreAnswer {
  const outcomes = answer.outcomes.map((outcome, place): Outcome => {
    const words = granted[place]?.words ?? null;
    if (outcome.ok || outcome.refusal.code !== 'self_limit_exceeded' || words === null) return outcome;
    return { ok: false, refusal: { ...outcome.refusal, message: words } };
  });
  return { ...answer, outcomes };
}
