import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { everyItem, everyItemOf } from '../../kit/personal-data/pages.js';
import type {
  DataOwner,
  ExportingOwner,
  PersonalErasure,
  PersonalSection,
} from '../../kit/personal-data/personal-data.js';
import { Deposits } from './chain/deposits.service.js';
import { AddressesService } from './keys/addresses.service.js';
import { SignaturesService } from './signing/signatures.service.js';
import { DestinationsService } from './transfers/destinations.service.js';
import { TransferListService } from './transfers/transfer-list.service.js';
import { WalletsService } from './wallets/wallets.service.js';

/** What the names of wallets become; the account keeps the first name, which the journal holds. */
const NAME_ERASED = 'erased';

/** Exports wallets, and erases what their owners called them. Addresses, signatures and transfers stay. */
@Injectable()
export class WalletsPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    private readonly wallets: WalletsService,
    addresses: AddressesService,
    signatures: SignaturesService,
    deposits: Deposits,
    private readonly destinations: DestinationsService,
    transfers: TransferListService,
    @InjectDataSource() private readonly database: DataSource,
  ) {
    this.sections = [
      {
        name: 'wallets',
        holds: 'your wallets, without their keys',
        rows: ({ principal }) => everyItem((page) => wallets.list(principal, page)),
      },
      {
        name: 'wallet_addresses',
        holds: 'the addresses of your wallets',
        rows: (owner) =>
          everyItemOf('wallet_id', this.idsOf(owner), (id, page) =>
            addresses.list(owner.principal, id, page),
          ),
      },
      {
        name: 'wallet_deposits',
        holds: 'what arrived at the addresses of your wallets over chains',
        rows: (owner) =>
          everyItemOf('wallet_id', this.idsOf(owner), (id, page) => deposits.list(owner.principal, id, page)),
      },
      {
        name: 'wallet_signatures',
        holds: 'what the keys of your wallets have signed',
        rows: (owner) =>
          everyItemOf('wallet_id', this.idsOf(owner), (id, page) =>
            signatures.list(owner.principal, id, page),
          ),
      },
      {
        name: 'wallet_destinations',
        holds: 'addresses that you let your money go to',
        rows: (owner) => this.destinationsOf(owner),
      },
      {
        name: 'wallet_transfers',
        holds: 'transfers from and to your wallets',
        rows: (owner) =>
          everyItemOf('wallet_id', this.idsOf(owner), (id, page) =>
            transfers.list(owner.principal, id, page),
          ),
      },
      {
        name: 'account_transfers',
        holds: 'transfers from and to your accounts',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) =>
            transfers.listOfAccount(principal, id, page),
          ),
      },
    ];
    this.erasures = [{ name: 'wallets', due: 'closing', erase: (owner) => this.erase(owner) }];
  }

  private async *idsOf({ principal }: ExportingOwner): AsyncGenerator<string> {
    for await (const { wallet_id: id } of everyItem((page) => this.wallets.list(principal, page))) yield id;
  }

  /** Every wallet of an owner lists all destinations of the owner. */
  private async *destinationsOf(owner: ExportingOwner): AsyncGenerator<object> {
    for await (const id of this.idsOf(owner)) {
      yield* everyItem((page) => this.destinations.list(owner.principal, id, page));
      return;
    }
  }

  private async erase({ key }: DataOwner): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query('UPDATE wallets SET name = $2 WHERE owner = $1 AND name <> $2', [key, NAME_ERASED]);
      await manager.query(
        `UPDATE wallet_addresses SET label = NULL
         WHERE label IS NOT NULL AND wallet_id IN (SELECT wallet_id FROM wallets WHERE owner = $1)`,
        [key],
      );
      await manager.query(
        `UPDATE wallet_destinations SET label = $2, removed_at = coalesce(removed_at, now()) WHERE owner = $1`,
        [key, NAME_ERASED],
      );
    });
  }
}
