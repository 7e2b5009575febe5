import { type CanActivate, Injectable } from '@nestjs/common';
import { CoreService } from '../core.service.js';

/**
 * In a process that does not lead: lets a request go on once the view holds all that was durable when it came, so
 * that nobody who asks one process and then another sees time go back.
 */
@Injectable()
export class CurrentViewGuard implements CanActivate {
  constructor(private readonly core: CoreService) {}

  canActivate(): boolean | Promise<boolean> {
    return this.core.leads || this.core.current().then(() => true);
  }
}
