import { Injectable } from '@nestjs/common';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { requireUnmuted } from '../members/standing.js';
import { RoomAccess } from '../log/room-access.js';
import type { AdmittedRoom } from '../log/room-subscription.js';

/** Says who may follow a room, and from where. */
@Injectable()
export class RoomAdmission {
  constructor(private readonly access: RoomAccess) {}

  /**
   * `offset` is the last sequence that the client has; `undefined` starts with new events only. Throws `not_found`
   * (404) for a room that the reader may not read, and `unprocessable` (422) for an offset beyond the end of the log.
   */
  async admit(reader: ChatIdentity, room: string, offset: number | undefined): Promise<AdmittedRoom> {
    const { publicId, membership, sequence } = await this.access.requireReadable(reader, room);
    if (offset !== undefined && offset > sequence) {
      throw new ApiError(
        UNPROCESSABLE,
        `The room has come to sequence ${sequence} only; begin there, or with 0 to get all of it again.`,
      );
    }
    return {
      roomId: publicId,
      member: reader.name,
      isMember: membership !== null,
      sequence,
      cursor: offset ?? sequence,
    };
  }

  /** Throws `not_found` (404), and `forbidden` (403) for who is no member of a public room, or is muted. */
  async requireWriting(writer: ChatIdentity, room: string): Promise<void> {
    const { membership } = await this.access.requireJoined(writer, room);
    requireUnmuted(membership, new Date());
  }
}
