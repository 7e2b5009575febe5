import { Injectable } from '@nestjs/common';

/** Whether the service wants new requests; it stops wanting them before it stops. */
@Injectable()
export class Readiness {
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  /** From now on `/health/ready` says no and connections are closed after their answer. */
  beginDraining(): void {
    this.draining = true;
  }
}
