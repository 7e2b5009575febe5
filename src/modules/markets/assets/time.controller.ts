import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CoreService } from '../../../core/core.service.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { TimeDto } from './time.dto.js';

@ApiTags('Markets')
@Public()
@Controller('time')
export class TimeController {
  constructor(private readonly core: CoreService) {}

  /**
   * Get the time of the service and the sequence of the ledger
   * @remarks Every process responds; the sequence is at least the last that was durable when the request came.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  now(): TimeDto {
    return { time: new Date().toISOString(), sequence: this.core.sequence() };
  }
}
