import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type SelectQueryBuilder } from 'typeorm';
import { encodeCursor, type Page, pageOf } from '../../../platform/http/pagination.js';
import { periodOf } from '../../../platform/http/period.js';
import { decodeTimedCursor, selectTimed, type TimedPlace } from '../../../platform/http/timed-list.js';
import type { Principal } from '../../../platform/security/principal.js';
import {
  DIRECTIONS,
  type ListTransfersQueryDto,
  toTransferDtoOf,
  type TransferDirection,
  type TransferDto,
} from './transfer.dto.js';
import type { TransferSource } from './transfer-plan.js';
import { TransferParties } from './transfer-parties.service.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';

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
    return this.page(await this.parties.ownWallet(principal, wallet), query);
  }

  /** The same of an account. Throws `account_not_found`, `invalid_cursor`, `validation_failed`. */
  async listOfAccount(
    principal: Principal,
    account: string,
    query: ListTransfersQueryDto,
  ): Promise<Page<TransferDto>> {
    return this.page(await this.parties.ownAccount(principal, account), query);
  }

  private async page(end: TransferSource, query: ListTransfersQueryDto): Promise<Page<TransferDto>> {
    const before = decodeTimedCursor(query.cursor);
    const directions = query.direction === undefined ? DIRECTIONS : [query.direction];
    const sides = await Promise.all(
      directions.map((direction) => this.readSide(end, direction, before, query)),
    );
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
    const page = pageOf(rows, query.limit, placeOf, (row) => toTransferDtoOf(row, end));
    if (page.next_cursor !== null || edge === null) return page;
    return { data: page.data, next_cursor: encodeCursor(edge) };
  }

  private async readSide(
    { type, walletId, accountId }: TransferSource,
    direction: TransferDirection,
    before: TimedPlace | undefined,
    query: ListTransfersQueryDto,
  ): Promise<SideRows> {
    const selection = selectTimed(
      this.transfers.createQueryBuilder('t').where(SIDES[type][direction], { walletId, accountId }),
      { time: 't.created_at', id: 't.transfer_id' },
      periodOf(query),
      before,
    );
    const { status, asset, chain } = query;
    const filters = Object.entries({ status, asset, chain }).filter(([, value]) => value !== undefined);
    const edge = filters.length === 0 ? null : await edgeOf(selection);
    if (edge !== null) {
      selection.andWhere('(t.created_at, t.transfer_id) >= (:edgeAt, :edgeId)', {
        edgeAt: new Date(edge[0]),
        edgeId: edge[1],
      });
    }
    for (const [column, value] of filters)
      selection.andWhere(`t.${column} = :${column}`, { [column]: value });
    return { rows: await selection.limit(query.limit + 1).getMany(), edge };
  }
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
