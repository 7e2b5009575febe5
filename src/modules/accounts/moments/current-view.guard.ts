import { type CanActivate, Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';

/**
 * In a process that does not lead: delays a request until the view includes everything that was durable when it came,
 * so that a client of several processes never sees older data.
 */
@Injectable()
export class CurrentViewGuard implements CanActivate {
  constructor(private readonly core: CoreService) {}

  canActivate(): boolean | Promise<boolean> {
    return this.core.leads || this.core.current().then(() => true);
  }
}
