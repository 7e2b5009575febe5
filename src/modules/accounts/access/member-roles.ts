import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Peers } from '../../../kit/peers/peers.js';
import { CredentialCache } from '../../../kit/security/credential-cache.js';
import { MembershipStore, type Roles } from './membership-store.js';

const TOPIC = 'account_roles';
const NO_ROLES: Roles = new Map();

/**
 * The roles of persons on accounts of others. All processes know of a change at once; processes that cannot be notified
 * know of it within a second.
 */
@Injectable()
export class MemberRoles implements OnModuleInit {
  private readonly roles: CredentialCache<Roles>;
  private readonly listeners: (() => void)[] = [];

  constructor(
    store: MembershipStore,
    private readonly peers: Peers,
  ) {
    this.roles = new CredentialCache((persons) => store.find(persons));
  }

  async onModuleInit(): Promise<void> {
    await this.peers.listen(TOPIC, ({ person }: { readonly person: string }) => this.forget(person));
  }

  /**
   * The roles of a person (see `personOf`), by the ids of the accounts. Those of a locked or closed owner are not among
   * them. Cached for a second at most, so it may be called often.
   */
  async rolesOf(person: string): Promise<Roles> {
    return (await this.roles.lookUp(person)) ?? NO_ROLES;
  }

  /** Call it after a change of the person's roles, or of the roles on the person's accounts: they count from then on. */
  forgetAllOf(person: string): void {
    this.forget(person);
    this.peers.say(TOPIC, { person });
  }

  /** Calls the listener when roles may have changed. */
  onChanged(listener: () => void): void {
    this.listeners.push(listener);
  }

  private forget(person: string): void {
    this.roles.forgetAllOf(person);
    for (const listener of this.listeners) listener();
  }
}
