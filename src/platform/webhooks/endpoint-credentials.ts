import { Injectable } from '@nestjs/common';
import { CredentialStandings } from '../security/credential-standings.js';
import { EndpointDisabling } from './endpoint-disabling.js';

/** So many credentials are asked about at once. */
const ASKED_AT_ONCE_MAX = 1_000;

/** An endpoint with the key of the credential that made it. */
interface BoundEndpoint {
  readonly endpoint_id: string;
  readonly credential: string;
}

/** Judges endpoints by the credentials that made them: one whose credential is gone is told of nothing any more. */
@Injectable()
export class EndpointCredentials {
  constructor(
    private readonly standings: CredentialStandings,
    private readonly disabling: EndpointDisabling,
  ) {}

  /**
   * What the credentials of these endpoints may do now, by their keys. Endpoints whose credential is gone, or may
   * have no webhooks any more, are disabled, and their keys are absent. Rejects as `CredentialStandings` does.
   */
  async judge(endpoints: readonly BoundEndpoint[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const scopes = await this.scopesOfAll(new Set(endpoints.map(({ credential }) => credential)));
    const gone = endpoints.filter(({ credential }) => !scopes.has(credential));
    for (const id of new Set(gone.map(({ endpoint_id }) => endpoint_id))) {
      await this.disabling.disableUncredentialed(id);
    }
    return scopes;
  }

  private async scopesOfAll(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, ReadonlySet<string>>();
    const asked = [...keys];
    for (let first = 0; first < asked.length; first += ASKED_AT_ONCE_MAX) {
      const some = asked.slice(first, first + ASKED_AT_ONCE_MAX);
      const answers = await Promise.all(some.map((key) => this.standings.scopesOf(key)));
      for (const [i, scopes] of answers.entries()) {
        if (scopes?.has('news:webhooks')) found.set(some[i]!, scopes);
      }
    }
    return found;
  }
}
