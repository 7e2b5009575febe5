import { Injectable } from '@nestjs/common';

/** Ends users' credentials. The module above owns them, so it implements this. */
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
}

/** The way from a user to its credentials: a password that changes and a user who is locked or closed end some of them. */
@Injectable()
export class UserCredentials implements CredentialKeeper {
  private keeper: CredentialKeeper | undefined;

  /** To be called once, before the service listens. */
  keptBy(keeper: CredentialKeeper): void {
    this.keeper = keeper;
  }

  endSessions(userId: string, keptToken: string | undefined): Promise<void> {
    return this.requireKeeper().endSessions(userId, keptToken);
  }

  suspend(userId: string): Promise<void> {
    return this.requireKeeper().suspend(userId);
  }

  endAll(userId: string): Promise<void> {
    return this.requireKeeper().endAll(userId);
  }

  private requireKeeper(): CredentialKeeper {
    if (this.keeper === undefined) throw new Error('nobody keeps the credentials of users');
    return this.keeper;
  }
}
