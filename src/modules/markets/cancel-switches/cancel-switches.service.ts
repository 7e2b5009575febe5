import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { AccountAccessService } from '../../../core/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import { formatId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import type { Principal } from '../../../platform/security/principal.js';
import type {
  CancelAfterDto,
  CancelOnDisconnectDto,
  CancelSwitchDto,
  ConnectionSwitchDto,
} from './cancel-switch.dto.js';
import { CancelSwitchEntity, TIMER } from './cancel-switch.entity.js';

/** Whose keys the cancellations are in the core. */
const KEYS_OWNER = 'cancel_switch';
/** How soon switches are noticed that this process did not arm, and tried again that could not be carried out. */
const SWEEP_EVERY_MS = 1_000;
const SWITCHES_HELD_MAX = 100;

const IS_DUE = 'triggers_at <= clock_timestamp()';

/** What is asked of a connection that holds switches: a socket, usually. */
interface Connection {
  readonly id: string;
  readonly connected: boolean;
}

/**
 * Switches that cancel all orders of an account: a dead man's timer, which must be set again before it runs out,
 * and the loss of a connection. They are rows, so that no crash forgets them: what falls due while no process
 * leads is carried out by the next one that does, and so is what was held by connections of a process that is gone.
 */
@Injectable()
export class CancelSwitches implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(CancelSwitches.name);
  /** Who holds the switches of this process' connections. */
  private readonly holder = randomUUID();
  /** Switches that connections hold, by connection. */
  private readonly held = new Map<string, Set<number>>();
  private readonly lostConnections = new Set<string>();
  /** The term in which switches of other processes were taken over last. */
  private takenOverIn = 0;
  /** When to sweep for the timers that were set here last, by account. */
  private readonly timers = new Map<number, NodeJS.Timeout>();
  private sweepTimer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    @InjectRepository(CancelSwitchEntity) private readonly switches: Repository<CancelSwitchEntity>,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepByItself();
    this.sweepTimer = setInterval(() => this.sweepByItself(), SWEEP_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.sweepTimer);
    for (const timer of this.timers.values()) clearTimeout(timer);
    await this.running;
  }

  /** Arms the timer anew, or turns it off. Throws `account_not_found`. */
  async cancelAfter(
    principal: Principal,
    { account_id: account, timeout_ms: timeoutMs }: CancelAfterDto,
  ): Promise<CancelSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account);
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

  /** The timer as it stands. Throws `account_not_found`. */
  async timerOf(principal: Principal, account: string | undefined): Promise<CancelSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account);
    const timer = await this.switches.findOneBy({ accountId: String(accountId), source: TIMER });
    return toDto(accountId, timer?.triggersAt ?? null);
  }

  /**
   * Has the loss of a connection cancel the orders of an account, or not any more. Throws `account_not_found`,
   * and `unprocessable` for a connection that holds too many switches.
   */
  async cancelOnDisconnect(
    principal: Principal,
    connection: Connection,
    { account_id: account, enabled }: CancelOnDisconnectDto,
  ): Promise<ConnectionSwitchDto> {
    const accountId = await this.access.accountIdOf(principal, account);
    if (enabled) await this.hold(connection, accountId);
    else await this.letGo(connection, accountId);
    return { account_id: formatId('acc', accountId), enabled };
  }

  /** To be told of every connection that ends, whether it held a switch or not. */
  connectionLost(connectionId: string): void {
    if (!this.held.delete(connectionId)) return;
    this.lostConnections.add(connectionId);
    this.sweepByItself();
  }

  private async hold(connection: Connection, accountId: number): Promise<void> {
    const { id: connectionId } = connection;
    const accounts = this.held.get(connectionId) ?? new Set();
    if (accounts.size >= SWITCHES_HELD_MAX && !accounts.has(accountId)) {
      throw new ApiError(
        'unprocessable',
        `A connection looks after at most ${SWITCHES_HELD_MAX} accounts; open another.`,
      );
    }
    this.held.set(connectionId, accounts.add(accountId));
    await this.switches.upsert(
      {
        accountId: String(accountId),
        source: connectionId,
        armingId: randomUUID(),
        triggersAt: null,
        holder: this.holder,
      },
      ['accountId', 'source'],
    );
    // Lost in the meantime, so whoever told that could not know of this switch.
    if (!connection.connected) {
      this.held.set(connectionId, accounts);
      this.connectionLost(connectionId);
    }
  }

  private async letGo({ id }: Connection, accountId: number): Promise<void> {
    await this.switches.delete({ accountId: String(accountId), source: id, holder: this.holder });
    this.held.get(id)?.delete(accountId);
  }

  /** A switch that is set anew every second must not leave a timer behind each time. */
  private sweepIn(ms: number, accountId: number): void {
    this.forgetTimer(accountId);
    const timer = setTimeout(() => {
      this.timers.delete(accountId);
      this.sweepByItself();
    }, ms);
    this.timers.set(accountId, timer.unref());
  }

  private forgetTimer(accountId: number): void {
    clearTimeout(this.timers.get(accountId));
    this.timers.delete(accountId);
  }

  private sweepByItself(): void {
    // Whoever leads sweeps; the core takes no commands from anybody else.
    if (!this.core.status().leading) return;
    this.running ??= this.sweep()
      .catch((error: unknown) => this.logger.warn({ err: error, msg: 'switches could not be carried out' }))
      .finally(() => {
        this.running = null;
      });
  }

  private async sweep(): Promise<void> {
    await this.takeOver();
    await this.releaseLost();
    while (await this.switches.manager.transaction((manager) => this.carryOutNext(manager)));
  }

  /** Connections of a process that does not lead any more can trade no more, or are gone with it. */
  private async takeOver(): Promise<void> {
    const { epoch } = this.core.status();
    if (this.takenOverIn === epoch) return;
    await this.trigger({ holder: Not(this.holder) });
    this.takenOverIn = epoch;
  }

  private async releaseLost(): Promise<void> {
    for (const source of [...this.lostConnections]) {
      await this.trigger({ source, holder: Not(IsNull()) });
      this.lostConnections.delete(source);
    }
  }

  private async trigger(which: Parameters<Repository<CancelSwitchEntity>['update']>[0]): Promise<void> {
    await this.switches.update(which, { triggersAt: () => 'clock_timestamp()', holder: null });
  }

  /**
   * Carries out one switch that is due; false where there is none. Its row is locked until it is done, so that who
   * arms it again meanwhile is answered after that, and orders that come later are safe.
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
  return { account_id: formatId('acc', accountId), triggers_at: triggersAt?.toISOString() ?? null };
}
