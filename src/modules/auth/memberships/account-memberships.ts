import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Peers } from '../../../kit/peers/peers.js';
import { AccountRoles } from '../../core-access/account-roles.js';
import { CredentialCache } from '../credentials/credential-cache.js';
import { MembershipStore, type Roles } from './membership-store.js';

const TOPIC = 'account_roles';
const NO_ROLES: Roles = new Map();

/**
 * The roles of persons on accounts of others. All processes know of a change at once; processes that cannot be notified
 * know of it within a second.
 */
@Injectable()
export class AccountMemberships extends AccountRoles implements OnModuleInit {
  private readonly roles: CredentialCache<Roles>;
  private readonly listeners: (() => void)[] = [];

  constructor(
    store: MembershipStore,
    private readonly peers: Peers,
  ) {
    super();
    this.roles = new CredentialCache((persons) => store.find(persons));
  }

  async onModuleInit(): Promise<void> {
    await this.peers.listen(TOPIC, ({ person }: { readonly person: string }) => this.forget(person));
  }

  override async rolesOf(person: string): Promise<Roles> {
    return (await this.roles.lookUp(person)) ?? NO_ROLES;
  }

  override forgetAllOf(person: string): void {
    this.forget(person);
    this.peers.say(TOPIC, { person });
  }

  override onChanged(listener: () => void): void {
    this.listeners.push(listener);
  }

  private forget(person: string): void {
    this.roles.forgetAllOf(person);
    for (const listener of this.listeners) listener();
  }
}
