import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Authenticator, type HeldCredential } from '../security/authenticator.js';
import type { ScopeRequirement } from '../security/scope.js';
import { ConnectionLimits } from './connection-limits.js';
import { CredentialWatch } from './credential-watch.js';
import type { Subscription } from './connection.js';
import { EventStreamConnection } from './event-stream-connection.js';
import { OpenStreams } from './open-streams.js';

/**
 * Opens event streams that end when they should: with the service, and once the credential that they were
 * opened with is expired, revoked, or no longer good for them.
 */
@Injectable()
export class EventStreams {
  constructor(
    private readonly openStreams: OpenStreams,
    private readonly authenticator: Authenticator,
    private readonly credentials: CredentialWatch,
    private readonly connections: ConnectionLimits,
  ) {}

  /**
   * Answers with an event stream. `requirement` is that of its route, which is held to while the stream lasts;
   * `undefined` where any credential will do, and for streams that anyone may follow. Before the first byte it
   * throws `rate_limited` (429) and `temporarily_unavailable` (503) where there are too many.
   */
  open<Each extends Subscription = Subscription>(
    response: Response,
    requirement: ScopeRequirement | undefined,
  ): EventStreamConnection<Each> {
    const releases = this.count(response);
    const stream = new EventStreamConnection<Each>(response);
    for (const release of releases) stream.onClose(release);
    stream.onClose(this.openStreams.add(() => stream.end()));
    // A HEAD request would hold the stream open without receiving anything.
    if (response.req.method === 'HEAD') stream.end();
    const credential = this.credentialOf(response);
    if (credential === undefined) return stream;
    const stop = this.credentials.watch(credential, {
      requirement,
      onRefused: (error) => void stream.fail(error),
    });
    stream.onClose(stop);
    return stream;
  }

  /** A stream counts as a connection of its address, and of its principal if there is one. */
  private count({ req: request }: Response): readonly (() => void)[] {
    const refusal = this.connections.refusalOf(request);
    if (refusal !== undefined) throw refusal;
    const ofPrincipal = request.user === undefined ? [] : [this.connections.countPrincipal(request.user)];
    return [...ofPrincipal, this.connections.count(request)];
  }

  /** What the caller was let in with; nobody asked on a public route. */
  private credentialOf({ req: request }: Response): HeldCredential | undefined {
    return request.user === undefined ? undefined : this.authenticator.heldBy(request);
  }
}
