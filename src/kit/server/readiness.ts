import { Injectable } from '@nestjs/common';

/** Whether the service accepts new requests; it stops accepting them before it stops. */
@Injectable()
export class Readiness {
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  /** From now on `/health/ready` fails and connections are closed after their answer. */
  beginDraining(): void {
    this.draining = true;
  }
}
