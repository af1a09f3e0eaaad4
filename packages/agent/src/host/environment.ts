/** What the environment of a command or of an MCP server is made of. */
interface EnvironmentOptions {
  /** Ours, with its keys. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Names that are passed on although they look like secrets; `*` stands for any letters, as in `NPM_*`. */
  readonly pass?: readonly string[];
  /** Names that are kept back although they do not look like secrets: variables that settings name as a key's. */
  readonly secret?: readonly string[];
}

/**
 * The environment for a command that a model runs: ours without what looks like a secret, and with settings that keep
 * programs from asking, paging and colouring.
 */
export function commandEnvironment(options: EnvironmentOptions): Record<string, string> {
  return { ...withoutSecrets(options), ...quietSettings };
}

/** Our environment without what looks like a secret, by its name or by a password in an address. */
export function withoutSecrets({ own, pass = [], secret = [] }: EnvironmentOptions): Record<string, string> {
  const passed = pass.map(wildcard);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const isPassed = passed.some((pattern) => pattern.test(name));
    const isSecret = secret.includes(name) || isSecretName(name) || isSecretValue(value);
    if (isPassed || !isSecret) kept[name] = value;
  }
  return kept;
}

/** Whether a variable of this name holds a key, a token or a password by its name. */
export function isSecretName(name: string): boolean {
  return secretNames.some((pattern) => pattern.test(name));
}

/** Settings for programs that nobody watches: no pager, no colour, no question, no editor. */
const quietSettings: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  TERM: "dumb",
  PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  // A message that nobody edits is a message; a list of steps that nobody edits is another deed.
  GIT_SEQUENCE_EDITOR: "false",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  PYTHONUNBUFFERED: "1",
};

/** A part of a name, between underscores, that makes it a secret's. Upper and lower case are one. */
const secretParts =
  "KEYS?|APIKEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|DSN|COOKIES?|JWT|PAT|AUTH|CREDS?|BEARER|CONN_STR|CONNECTION_STRING|SK|PEM|OTP|MNEMONIC";

/** Names of secrets, and services of which every variable is kept back. */
const secretNames: readonly RegExp[] = [
  new RegExp(`(^|_)(${secretParts})(_|$)(?!SOCK$)`, "i"),
  /(API|ACCESS|PRIVATE|SECRET|SIGNING)_?KEY|(ACCESS|AUTH|BEARER|SESSION)_?TOKEN/i,
  /^(AWS|AZURE|GOOGLE|GCP|GCLOUD|ANTHROPIC|OPENAI|GEMINI|VAULT|DOPPLER|OP_SESSION)_/i,
  /PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKENS?(_|$)|WEBHOOK/i,
  /_(PWD|SAS|CONNECTION_STRING)$|PW$|(SSH|PG|DB|MYSQL|REDIS|MONGO|LDAP|SMTP|MAIL|FTP|USER|ADMIN|ROOT)PASS$/i,
  /^(PGPASSFILE|NETRC|KUBECONFIG)$/i,
];

/** Whether a value is a secret by its form, whatever the variable is called. */
function isSecretValue(value: string): boolean {
  return secretValues.some((pattern) => pattern.test(value));
}

const secretValues: readonly RegExp[] = [
  // An address with a password, such as `postgres://me:secret@host`; of a web address the name alone is a token.
  /^([a-z][a-z0-9+.-]*:\/\/[^/\s@:]*:[^/\s@]+|https?:\/\/[^/\s@]+)@/i,
  /^https?:\/\/[^\s#]*[?&]([\w-]*(token|key|secret|password|signature|credential)|sig|auth|code)=[^&\s]/i,
  /^https?:\/\/(hooks\.slack\.com\/|[^/\s]*\/api\/webhooks\/|[^/\s]*webhook[^/\s]*\/.)/i,
  /(^|[;\s])(password|passwd|pwd)\s*=\s*[^;\s]/i,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
  /^(gh[oprsu]_|github_pat_|glpat-|sk-|[rs]k_(live|test)_|xox[abeprs]-|npm_|pypi-|hf_|dop_v1_|SG\.|AIza)[\w.-]{12,}$/,
  /^A[KS]IA[A-Z0-9]{12,}$/,
];

function wildcard(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
