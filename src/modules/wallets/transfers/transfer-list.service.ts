import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type ObjectLiteral, Repository, type SelectQueryBuilder } from 'typeorm';
import {
  encodeCursor,
  type Page,
  pageOf,
  decodeTimedCursor,
  selectTimed,
  type TimedPlace,
} from '../../../kit/http/pagination.js';
import { periodOf, type PeriodQueryDto } from '../../../kit/http/period.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  DIRECTIONS,
  type ListTransfersQueryDto,
  toTransferDtoOf,
  type TransferDirection,
  type TransferDto,
} from './transfer.dto.js';
import type { TransferEnd, TransferSource } from './transfer-plan.js';
import { TransferParties } from './transfer-parties.service.js';
import { OPEN_STATUSES, WalletTransferEntity } from './wallet-transfer.entity.js';

/** Exactly the condition of the partial index: with a parameter the planner would not use it. */
const IS_OPEN = `t.status IN ('pending_approval', 'pending', 'broadcasting', 'confirming')`;

/** How many transfers a page may look at: a rare filter in a long history makes short pages, never slow ones. */
const SCANNED_TRANSFERS_MAX = 5_000;

/** Exactly the conditions of the partial indexes: with a parameter the planner would not use them. */
const SIDES: Record<TransferSource['type'], Record<TransferDirection, string>> = {
  wallet: {
    in: `t.destination_wallet_id = :walletId AND t.accepted_at IS NOT NULL AND t.status = 'completed'`,
    out: 't.source_wallet_id = :walletId AND t.accepted_at IS NOT NULL',
  },
  account: {
    in: `t.destination_account_id = :accountId AND t.destination_type = 'account' AND t.accepted_at IS NOT NULL
      AND t.status = 'completed'`,
    out: `t.source_account_id = :accountId AND t.source_type = 'account' AND t.accepted_at IS NOT NULL`,
  },
};

type Selection = SelectQueryBuilder<WalletTransferEntity>;

/** Some transfers, by a condition that an index has. */
interface Side {
  readonly condition: string;
  readonly parameters: ObjectLiteral;
  /** Whether they are few, whatever their history. */
  readonly isShort?: boolean;
}

/** What the lists have in common; of the members that say what a transfer must be, all are columns. */
interface TransferFilter extends PeriodQueryDto {
  readonly status?: string;
  readonly asset?: string;
  readonly chain?: string;
}

interface SideRows {
  readonly rows: WalletTransferEntity[];
  /** The last place that was looked at; null where that was the end of the history. */
  readonly edge: TimedPlace | null;
}

/** The transfers of a wallet or an account, newest first: what left it and what arrived, each from its own index. */
@Injectable()
export class TransferListService {
  constructor(
    private readonly parties: TransferParties,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {}

  /**
   * Where few transfers meet the filter, a page may be shorter than its limit, even empty, and still have a
   * next one. Throws `not_found`, `invalid_cursor`, `validation_failed`.
   */
  async list(principal: Principal, wallet: string, query: ListTransfersQueryDto): Promise<Page<TransferDto>> {
    return this.ofEnd(await this.parties.ownWallet(principal, wallet), query);
  }

  /** The same of an account. Throws `account_not_found`, `invalid_cursor`, `validation_failed`. */
  async listOfAccount(
    principal: Principal,
    account: string,
    query: ListTransfersQueryDto,
  ): Promise<Page<TransferDto>> {
    return this.ofEnd(await this.parties.tradingAccount(principal, account, 'read'), query);
  }

  /** Of one end, both what left and what arrived. Throws `invalid_cursor`, `validation_failed`. */
  listOfEnd(end: TransferEnd, query: TransferFilter): Promise<Page<WalletTransferEntity>> {
    return this.page(sidesOf(end, DIRECTIONS), query);
  }

  /** Of all owners. Throws `invalid_cursor`, `validation_failed`. */
  listOfAll(query: TransferFilter): Promise<Page<WalletTransferEntity>> {
    const open: readonly string[] = OPEN_STATUSES;
    const isOpen = query.status?.split(',').every((status) => open.includes(status)) ?? false;
    const condition = `t.accepted_at IS NOT NULL${isOpen ? ` AND ${IS_OPEN}` : ''}`;
    return this.page([{ condition, parameters: {}, isShort: isOpen }], query);
  }

  private async ofEnd(end: TransferEnd, query: ListTransfersQueryDto): Promise<Page<TransferDto>> {
    const directions = query.direction === undefined ? DIRECTIONS : [query.direction];
    const { data, next_cursor } = await this.page(sidesOf(end, directions), query);
    return { data: data.map((row) => toTransferDtoOf(row, end)), next_cursor };
  }

  private async page(from: readonly Side[], query: TransferFilter): Promise<Page<WalletTransferEntity>> {
    const before = decodeTimedCursor(query.cursor);
    const sides = await Promise.all(from.map((side) => this.readSide(side, before, query)));
    const edge = sides
      .map((side) => side.edge)
      .filter((place) => place !== null)
      .reduce<TimedPlace | null>(
        (latest, place) => (latest === null || isLater(place, latest) ? place : latest),
        null,
      );
    const rows = sides
      .flatMap((side) => side.rows)
      .filter((row) => edge === null || !isLater(edge, placeOf(row)))
      .sort((a, b) => (isLater(placeOf(a), placeOf(b)) ? -1 : 1));
    const page = pageOf(rows, query.limit, placeOf, (row) => row);
    if (page.next_cursor !== null || edge === null) return page;
    return { data: page.data, next_cursor: encodeCursor(edge) };
  }

  private async readSide(
    { condition, parameters, isShort = false }: Side,
    before: TimedPlace | undefined,
    query: TransferFilter,
  ): Promise<SideRows> {
    const selection = selectTimed(
      this.transfers.createQueryBuilder('t').where(condition, parameters),
      { time: 't.created_at', id: 't.transfer_id' },
      periodOf(query),
      before,
    );
    const { asset, chain } = query;
    const members = { status: query.status?.split(','), asset, chain };
    const filters = Object.entries(members).filter(([, value]) => value !== undefined);
    const edge = filters.length === 0 || isShort ? null : await edgeOf(selection);
    if (edge !== null) {
      selection.andWhere('(t.created_at, t.transfer_id) >= (:edgeAt, :edgeId)', {
        edgeAt: new Date(edge[0]),
        edgeId: edge[1],
      });
    }
    for (const [column, value] of filters)
      selection.andWhere(`t.${column} IN (:...${column})`, { [column]: [value].flat() });
    return { rows: await selection.limit(query.limit + 1).getMany(), edge };
  }
}

function sidesOf(
  { type, walletId, accountId }: TransferEnd,
  directions: readonly TransferDirection[],
): Side[] {
  return directions.map((direction) => ({
    condition: SIDES[type][direction],
    parameters: { walletId, accountId },
  }));
}

/** Of filters that no index knows: how far a page may look. */
async function edgeOf(selection: Selection): Promise<TimedPlace | null> {
  const last = await selection
    .clone()
    .select(['t.transferId', 't.createdAt'])
    .offset(SCANNED_TRANSFERS_MAX)
    .limit(1)
    .getOne();
  return last === null ? null : placeOf(last);
}

function placeOf({ createdAt, transferId }: WalletTransferEntity): TimedPlace {
  return [createdAt.getTime(), Number(transferId)];
}

function isLater(a: TimedPlace, b: TimedPlace): boolean {
  return a[0] === b[0] ? a[1] > b[1] : a[0] > b[0];
}
