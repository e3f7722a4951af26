/** The part of JSON Schema that bot-schema.json is written in, for completion and explanation; the host judges. */
const PROPERTY = {
  type: 'object',
  properties: {
    type: {
      enum: ['string', 'integer', 'number', 'boolean', 'array', 'object'],
      description: 'What kind of value the setting takes.',
    },
    title: { type: 'string', description: 'Name of the field in the deploy form.' },
    description: { type: 'string', description: 'What the setting means; shown in the deploy form.' },
    default: { description: 'Used when the instance does not say anything else.' },
    enum: { type: 'array', description: 'The only values that are allowed.' },
    minimum: { type: 'number', description: 'Lowest number that is allowed.' },
    maximum: { type: 'number', description: 'Highest number that is allowed.' },
    minLength: { type: 'integer', description: 'Fewest characters.' },
    maxLength: { type: 'integer', description: 'Most characters.' },
    pattern: { type: 'string', description: 'Regular expression, without backtracking.' },
    format: {
      enum: ['password', 'date-time', 'date', 'time', 'email', 'uri'],
      description: '`password` makes it a secret: hidden wherever it is shown.',
    },
    writeOnly: { type: 'boolean', description: 'true makes it a secret.' },
    items: { $ref: '#/definitions/property', description: 'What the entries of a list are.' },
    properties: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/property' },
      description: 'The settings of this group.',
    },
    required: { type: 'array', items: { type: 'string' }, description: 'Settings that must be given.' },
    additionalProperties: { description: 'false refuses settings that are not named.' },
  },
};

const BOT_SCHEMA = {
  definitions: { property: PROPERTY },
  type: 'object',
  required: ['type', 'properties'],
  properties: {
    $schema: { const: 'http://json-schema.org/draft-07/schema#' },
    type: { const: 'object' },
    title: { type: 'string' },
    description: { type: 'string' },
    properties: { type: 'object', additionalProperties: { $ref: '#/definitions/property' } },
    required: PROPERTY.properties.required,
    additionalProperties: PROPERTY.properties.additionalProperties,
  },
};

function parsed(text: string | null): unknown {
  if (text === null) return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {}; // It is being typed.
    throw error;
  }
}

/** Schemas of the JSON files of a project; the configuration of instance.json is what bot-schema.json says now. */
export function projectSchemas(botSchemaText: string | null): { uri: string; fileMatch: string[]; schema: unknown }[] {
  const instance = {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the bot.' },
      type: { type: 'string', description: '<realtime or scheduled>/<name of the custom bot>' },
      version: { type: 'string', description: 'Version of the custom bot to run.' },
      schedule: { type: 'string', description: 'Five cron fields, for a scheduled bot.' },
      timezone: { type: 'string', description: 'Time zone of the schedule, such as Europe/Berlin; UTC without it.' },
      enabled: { type: 'boolean', description: 'false: it is created and does not start.' },
      options: { type: 'object', description: 'Limits and behaviour of the run.' },
      config: parsed(botSchemaText),
    },
  };
  return [
    { uri: 'platform://bot-schema', fileMatch: ['bot-schema.json'], schema: BOT_SCHEMA },
    { uri: 'platform://instance', fileMatch: ['instance.json'], schema: instance },
  ];
}
