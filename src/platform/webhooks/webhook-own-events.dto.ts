import { ApiProperty } from '@nestjs/swagger';

/** What `webhook.test` tells. */
export class WebhookTestDto {
  /**
   * The webhook that was tested.
   * @example 'whk_00000000001'
   */
  readonly webhook_id: string;
}

/** What `webhook.disabled` tells. */
export class WebhookDisabledDto {
  /**
   * The webhook to which nothing is sent any more.
   * @example 'whk_00000000001'
   */
  readonly webhook_id: string;

  /** @example 'https://example.com/hooks' */
  readonly url: string;

  @ApiProperty({
    description: 'It answered 410, or nothing succeeded there for days.',
    enum: ['gone', 'failing'],
    example: 'failing',
  })
  readonly reason: 'gone' | 'failing';
}
