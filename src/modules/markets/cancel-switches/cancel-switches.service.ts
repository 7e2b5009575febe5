import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Socket } from 'socket.io';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { AccountWatch } from '../../accounts/access/account-watch.js';
import { CoreService } from '../../../core/core.service.js';
import { UNPROCESSABLE, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { Peers } from '../../../kit/peers/peers.js';
import { endSocket } from '../../../kit/realtime/end-socket.js';
import { requireAllMarkets } from '../../../kit/security/allowed-markets.js';
import type { Principal } from '../../../kit/security/principal.js';
import type {
  CancelAfterDto,
  CancelOnDisconnectDto,
  CancelSwitchDto,
  ConnectionSwitchDto,
} from './cancel-switch.dto.js';
import { CancelSwitchEntity, TIMER } from './cancel-switch.entity.js';
import { SwitchHolders } from './switch-holders.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** Whose keys the cancellations are in the core. */
const KEYS_OWNER = 'cancel_switch';
/** How soon switches are noticed that this process did not arm, and tried again that could not be carried out. */
const SWEEP_EVERY_MS = 1_000;
/** The interval at which a process renews the lease of its connections. */
const RENEW_EVERY_MS = 1_000;
const SWITCHES_HELD_MAX = 100;

/** Tells the leader that there is work. */
const TOPIC = 'cancel_switches';

const IS_DUE = 'triggers_at <= clock_timestamp()';

/** The part of a connection that switches use. */
type Connection = Pick<Socket, 'id' | 'connected' | 'emit' | 'disconnect' | 'conn'>;

/** The switches that a connection holds. */
interface Held {
  readonly connection: Connection;
  /** Of each account how to stop watching the role of who armed it. */
  readonly accounts: Map<number, () => void>;
  /** Whether all of them are rows. */
  isStored: boolean;
}

/** What has become unattended: all accounts of a connection, or one whose caller trades there no more. */
interface Lost {
  readonly source: string;
  readonly accountId?: string;
}

/**
 * Switches that cancel all orders of an account: a dead man's timer, which must be set again before it runs out,
 * and the loss of a connection. They are rows, so that no crash forgets them: what falls due while no process
 * leads is carried out by the next one that does, and so is what was held by connections of a process that is gone.
 * Where only one process serves, that is every process but the one that leads.
 */
@Injectable()
export class CancelSwitches implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(CancelSwitches.name);
  /** By the ids of the connections. */
  private readonly held = new Map<string, Held>();
  private readonly lost = new Set<Lost>();
  /** The term in which switches of other processes were taken over last. */
  private takenOverIn = 0;
  /** When to sweep for the timers that were set here last, by account. */
  private readonly timers = new Map<number, NodeJS.Timeout>();
  private readonly sweeping = new BackgroundLoop({ name: CancelSwitches.name, everyMs: SWEEP_EVERY_MS }, () =>
    this.round(),
  );
  private readonly renewing = new BackgroundLoop({ name: CancelSwitches.name, everyMs: RENEW_EVERY_MS }, () =>
    this.renew(),
  );
  /** Whether the leader has new work. */
  private hasNews = false;

  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly watch: AccountWatch,
    @InjectRepository(CancelSwitchEntity) private readonly switches: Repository<CancelSwitchEntity>,
    private readonly holders: SwitchHolders,
    private readonly peers: Peers,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sweeping.begin();
    if (!this.peers.areShared) return;
    await this.renewing.begin();
    await this.peers.listen(TOPIC, () => this.sweeping.request());
  }

  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all([this.sweeping.end(), this.renewing.end()]);
  }

  /** Arms the timer anew, or turns it off. Throws `account_not_found`, `market_not_allowed`. */
  async cancelAfter(
    principal: Principal,
    { account_id: account, timeout_ms: timeoutMs }: CancelAfterDto,
  ): Promise<CancelSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'trade');
    requireAllMarkets(principal);
    if (timeoutMs === 0) {
      await this.switches.delete({ accountId: String(accountId), source: TIMER });
      this.forgetTimer(accountId);
      return toDto(accountId, null);
    }
    const [armed] = await this.switches.query<{ triggers_at: Date }[]>(
      `INSERT INTO cancel_switches (account_id, source, arming_id, triggers_at)
       VALUES ($1, $2, gen_random_uuid(), clock_timestamp() + $3::int8 * interval '1 millisecond')
       ON CONFLICT (account_id, source)
       DO UPDATE SET arming_id = excluded.arming_id, triggers_at = excluded.triggers_at
       RETURNING triggers_at`,
      [accountId, TIMER, timeoutMs],
    );
    this.sweepIn(timeoutMs, accountId);
    return toDto(accountId, armed!.triggers_at);
  }

  /** The current timer. Throws `account_not_found`. */
  async timerOf(principal: Principal, account: string | undefined): Promise<CancelSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const timer = await this.switches.findOneBy({ accountId: String(accountId), source: TIMER });
    return toDto(accountId, timer?.triggersAt ?? null);
  }

  /**
   * Makes the loss of a connection, or of the role that the caller trades by, cancel the orders of an account, or undoes
   * this. Throws `account_not_found`, `market_not_allowed`, and `unprocessable` for a connection with too many switches.
   */
  async cancelOnDisconnect(
    principal: Principal,
    connection: Connection,
    { account_id: account, enabled }: CancelOnDisconnectDto,
  ): Promise<ConnectionSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'trade');
    requireAllMarkets(principal);
    if (enabled) await this.hold(connection, principal, accountId);
    else await this.letGo(connection, accountId);
    return { account_id: ACCOUNT_IDS.format(accountId), enabled };
  }

  /** Call it for every connection that ends, whether it held a switch or not. */
  connectionLost(connectionId: string): void {
    const held = this.held.get(connectionId);
    if (held === undefined) return;
    this.held.delete(connectionId);
    for (const stopWatching of held.accounts.values()) stopWatching();
    this.lose({ source: connectionId });
  }

  private roleLost(connectionId: string, accountId: number): void {
    this.held.get(connectionId)?.accounts.delete(accountId);
    this.lose({ source: connectionId, accountId: String(accountId) });
  }

  private lose(lost: Lost): void {
    this.lost.add(lost);
    this.sweepSoon();
  }

  private async hold(connection: Connection, principal: Principal, accountId: number): Promise<void> {
    const { id: connectionId } = connection;
    const held: Held = this.held.get(connectionId) ?? { connection, accounts: new Map(), isStored: true };
    const { accounts } = held;
    if (accounts.size >= SWITCHES_HELD_MAX && !accounts.has(accountId)) {
      throw new ApiError(
        UNPROCESSABLE,
        `A connection looks after at most ${SWITCHES_HELD_MAX} accounts; open another.`,
      );
    }
    accounts.get(accountId)?.();
    const onEnded = (): void => this.roleLost(connectionId, accountId);
    accounts.set(accountId, this.watch.watch(principal, accountId, 'trade', onEnded));
    held.isStored = false;
    this.held.set(connectionId, held);
    if (this.peers.areShared) await this.holders.renew();
    await this.switches.upsert(
      {
        accountId: String(accountId),
        source: connectionId,
        armingId: randomUUID(),
        triggersAt: null,
        holder: this.holders.own,
      },
      ['accountId', 'source'],
    );
    held.isStored = true;
    // The role was lost in the meantime, before the switch was known.
    if (!accounts.has(accountId)) onEnded();
    // The connection was lost in the meantime, before its switch was known.
    if (!connection.connected) {
      this.held.set(connectionId, held);
      this.connectionLost(connectionId);
    }
  }

  private async letGo({ id }: Connection, accountId: number): Promise<void> {
    // Deleted from memory first, so that the row is not missed. If the deletion of the row fails, the connection still
    // has the switch.
    const accounts = this.held.get(id)?.accounts;
    const stopWatching = accounts?.get(accountId);
    accounts?.delete(accountId);
    try {
      await this.switches.delete({ accountId: String(accountId), source: id, holder: this.holders.own });
    } catch (error) {
      if (stopWatching !== undefined) this.held.get(id)?.accounts.set(accountId, stopWatching);
      throw error;
    }
    stopWatching?.();
  }

  /**
   * Renews the lease of this process's connections. If that came too late and other processes have fired the switches,
   * the connections are closed, so that their clients notice.
   */
  private async renew(): Promise<boolean> {
    if (this.held.size === 0) return false;
    await this.holders.renew();
    const stored = [...this.held.values()].filter(({ accounts, isStored }) => isStored && accounts.size > 0);
    const holding = await this.holders.connectionsHolding();
    for (const held of stored) {
      const { connection, accounts, isStored } = held;
      if (holding.has(connection.id) || accounts.size === 0 || !isStored) continue;
      if (this.held.get(connection.id) === held) endSocket(connection, carriedOut());
    }
    return false;
  }

  /** A switch that is set anew every second must not leave a timer behind each time. */
  private sweepIn(ms: number, accountId: number): void {
    this.forgetTimer(accountId);
    const timer = setTimeout(() => {
      this.timers.delete(accountId);
      this.sweepSoon();
    }, ms);
    this.timers.set(accountId, timer.unref());
  }

  private forgetTimer(accountId: number): void {
    clearTimeout(this.timers.get(accountId));
    this.timers.delete(accountId);
  }

  private sweepSoon(): void {
    this.hasNews = true;
    this.sweeping.request();
  }

  /** The leader fires due switches; other processes notify it. */
  private async round(): Promise<boolean> {
    const { leading } = this.core.status();
    if (!leading && !this.peers.areShared) return false;
    const { hasNews } = this;
    this.hasNews = false;
    if (leading) await this.takeOver();
    await this.releaseLost();
    if (leading) while (await this.switches.manager.transaction((manager) => this.carryOutNext(manager)));
    else if (hasNews) this.peers.say(TOPIC, {});
    return false;
  }

  private async takeOver(): Promise<void> {
    if (this.peers.areShared) {
      await this.holders.triggerForsaken();
      return;
    }
    // A process that no longer leads cannot trade on its connections, or has lost them.
    const { epoch } = this.core.status();
    if (this.takenOverIn === epoch) return;
    await this.trigger({ holder: Not(this.holders.own) });
    this.takenOverIn = epoch;
  }

  private async releaseLost(): Promise<void> {
    for (const lost of [...this.lost]) {
      await this.trigger({ ...lost, holder: Not(IsNull()) });
      this.lost.delete(lost);
    }
  }

  private async trigger(which: Parameters<Repository<CancelSwitchEntity>['update']>[0]): Promise<void> {
    await this.switches.update(which, { triggersAt: () => 'clock_timestamp()', holder: null });
  }

  /**
   * Fires one due switch; false if there is none. Its row stays locked meanwhile, so that a caller who re-arms it is
   * answered afterwards, and later orders are safe.
   */
  private async carryOutNext(manager: EntityManager): Promise<boolean> {
    const due = await manager
      .createQueryBuilder(CancelSwitchEntity, 's')
      .where(`s.${IS_DUE}`)
      .orderBy('s.triggers_at')
      .limit(1)
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getOne();
    if (due === null) return false;
    const { accountId, source, armingId } = due;
    // Under a key, so that a crash after the cancellation does not cancel what was placed since.
    await this.core.submit({
      commands: [{ type: 'cancel_all_orders', accountId: Number(accountId), marketId: null }],
      idempotency: { owner: KEYS_OWNER, key: armingId, fingerprint: accountId },
    });
    await manager.delete(CancelSwitchEntity, { accountId, source });
    this.logger.log({ accountId, source, msg: 'orders were cancelled by a switch' });
    return true;
  }
}

function toDto(accountId: number, triggersAt: Date | null): CancelSwitchDto {
  return { account_id: ACCOUNT_IDS.format(accountId), triggers_at: triggersAt?.toISOString() ?? null };
}

/** 503: the client sees to its orders, and connects again. */
function carriedOut(): ApiError {
  return new ApiError(
    TEMPORARILY_UNAVAILABLE,
    'The service lost sight of this connection, and its switches have cancelled the orders. Connect again.',
    { headers: { 'Retry-After': '1' } },
  );
}
