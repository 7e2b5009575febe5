import { Injectable } from '@nestjs/common';

/** Sends what is due. */
@Injectable()
export class WebhookDispatcher {
  /** Something may be due now. */
  wake(): void {
    return;
  }
}
