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

  /**
   * Null where nothing was sent, and its owner pulled.
   * @example 'https://example.com/hooks'
   */
  @ApiProperty({ type: String, nullable: true })
  readonly url: string | null;

  @ApiProperty({
    description: 'It answered 410, nothing succeeded there for days, or the credential that made it is gone.',
    enum: ['gone', 'failing', 'credential'],
    example: 'failing',
  })
  readonly reason: 'gone' | 'failing' | 'credential';
}
