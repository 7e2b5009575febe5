import { Injectable } from '@nestjs/common';

/** Ends users' credentials of some kind. The modules that own them implement this. */
export interface CredentialKeeper {
  /**
   * Ends all that the user logged in or granted, except the session `keptToken` and what is its, and the links that were
   * mailed to set a password.
   */
  endSessions(userId: string, keptToken: string | undefined): Promise<void>;
  /**
   * Ends what is good by itself for a while: sessions, grants, and the tokens that the user's clients were
   * given in their own name. Clients and API keys stay, for the time after a lock.
   */
  suspend(userId: string): Promise<void>;
  /** Ends everything: sessions, grants, clients and API keys. */
  endAll(userId: string): Promise<void>;
  /** Has every credential of the user looked up again: what it may do has changed. */
  rolesChanged?(userId: string): Promise<void>;
}

/** The way from a user to its credentials: a password that changes and a user who is locked or closed end some of them. */
@Injectable()
export class UserCredentials implements CredentialKeeper {
  private readonly keepers: CredentialKeeper[] = [];

  /** Call it before the service listens. */
  keptBy(keeper: CredentialKeeper): void {
    this.keepers.push(keeper);
  }

  endSessions(userId: string, keptToken: string | undefined): Promise<void> {
    return this.byAll((keeper) => keeper.endSessions(userId, keptToken));
  }

  suspend(userId: string): Promise<void> {
    return this.byAll((keeper) => keeper.suspend(userId));
  }

  endAll(userId: string): Promise<void> {
    return this.byAll((keeper) => keeper.endAll(userId));
  }

  rolesChanged(userId: string): Promise<void> {
    return this.byAll(async (keeper) => keeper.rolesChanged?.(userId));
  }

  private async byAll(end: (keeper: CredentialKeeper) => Promise<void>): Promise<void> {
    for (const keeper of this.keepers) await end(keeper);
  }
}
