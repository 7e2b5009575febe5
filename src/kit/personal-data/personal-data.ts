import { Injectable } from '@nestjs/common';
import type { Principal } from '../security/principal.js';

/** A user whose personal data is exported or erased. */
export interface DataOwner {
  readonly userId: string;
  readonly username: string;
  /** Of the user as a principal, such as `user:7`: the owner of accounts, wallets, cases and messages. */
  readonly key: string;
}

/** A user who asks for all of it. */
export interface ExportingOwner extends DataOwner {
  /** The user in person, for services that answer lists to principals. */
  readonly principal: Principal;
  /** The public ids of all accounts of the user, those of wallets too; oldest first. */
  readonly accountIds: readonly string[];
  /** The public ids of those that are not of wallets. */
  readonly tradingAccountIds: readonly string[];
}

/** A file that belongs to a section, such as an image. */
export interface PersonalFile {
  /** Within the section, such as `kim_00000000001.jpg`. */
  readonly name: string;
  readonly content: Buffer;
}

/** A part of an export: becomes `<name>.json` and `<name>.csv`. */
export interface PersonalSection {
  /** Unique, in lower case with underscores, such as `orders`. */
  readonly name: string;
  /** For people, as the end of a line that begins with the name. */
  readonly holds: string;
  /**
   * All rows of the owner in the shape in which the API answers them, read page by page. No secrets, no digests, and
   * nothing that is private to others.
   */
  rows(owner: ExportingOwner): AsyncIterable<object>;
  files?(owner: ExportingOwner): AsyncIterable<PersonalFile>;
}

/**
 * When it is due: soon after the user was closed, or `KYC_RETENTION_DAYS` later, for what the law wants kept until then.
 */
export type ErasureTime = 'closing' | 'retention';

/** A part of the erasure of a closed user. */
export interface PersonalErasure {
  readonly name: string;
  readonly due: ErasureTime;
  /** It may be repeated, and be cut short at any point: then a repeat does the rest. */
  erase(owner: DataOwner): Promise<void>;
}

/** What the modules know about users: they register it before the service has started. */
@Injectable()
export class PersonalDataRegistry {
  private readonly known = new Map<string, PersonalSection>();
  private readonly erasing: PersonalErasure[] = [];

  /** In the order in which they are exported. */
  get sections(): readonly PersonalSection[] {
    return [...this.known.values()];
  }

  exports(...sections: readonly PersonalSection[]): void {
    for (const section of sections) {
      if (this.known.has(section.name))
        throw new Error(`Two sections of exports are called ${section.name}.`);
      this.known.set(section.name, section);
    }
  }

  erases(...erasures: readonly PersonalErasure[]): void {
    this.erasing.push(...erasures);
  }

  erasuresDue(due: ErasureTime): readonly PersonalErasure[] {
    return this.erasing.filter((erasure) => erasure.due === due);
  }
}
