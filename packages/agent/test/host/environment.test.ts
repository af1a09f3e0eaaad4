import { describe, expect, test } from "vitest";
import { commandEnvironment, isSecretName } from "../../src/host/environment.js";

const secret = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AZURE_CLIENT_SECRET",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLIENT_SECRET",
  "DB_PASSWORD",
  "PGPASSWORD_FILE_PASSWORD",
  "MYSQL_PWD",
  "SENTRY_DSN",
  "SSH_PRIVATE_KEY",
  "my_api_key",
  "SECRET",
  "TOKEN",
  "apikey",
  "KUBECONFIG",
  "STORAGE_CONNECTION_STRING",
  "PGPASSWORD",
  "SSHPASS",
  "GHTOKEN",
  "DBPASSWORD",
  "LDAP_BINDPW",
  "AZ_SAS",
  "SLACK_WEBHOOK_URL",
];

const plain = [
  "PATH",
  "HOME",
  "PWD",
  "OLDPWD",
  "LANG",
  "USER",
  "SHELL",
  "TMPDIR",
  "NODE_OPTIONS",
  "SSH_AUTH_SOCK",
  "KEYBOARD",
  "MONKEYPATCH",
  "GIT_AUTHOR_NAME",
  "AUTHOR",
  "XDG_STATE_HOME",
  "PASSENGER",
  "COMPASS",
  "TOKENIZERS_PARALLELISM",
  "SASS_PATH",
];

describe("the environment of a command", () => {
  test.each(secret)("%s is a secret's name", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each(plain)("%s is none", (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  test("has no secret, no address with a password, and what is passed on purpose", () => {
    const own = {
      PATH: "/bin",
      GITHUB_TOKEN: "t",
      NPM_TOKEN: "n",
      NPM_CONFIG_X: "x",
      DATABASE_URL: "postgres://me:secret@host/db",
      HOMEPAGE: "https://example.com:80/a",
      REMOTE: "https://token@github.com/x",
      GIT: "ssh://git@github.com/x",
      CORP_LLM: "the key that settings name",
      GONE: undefined,
    };
    const { NO_COLOR, PAGER, GIT_PAGER, GIT_TERMINAL_PROMPT, ...rest } = commandEnvironment({
      own,
      pass: ["NPM_*"],
      secret: ["CORP_LLM"],
    });
    expect({ NO_COLOR, PAGER, GIT_PAGER, GIT_TERMINAL_PROMPT }).toEqual({
      NO_COLOR: "1",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
    });
    expect(rest).toMatchObject({
      PATH: "/bin",
      NPM_TOKEN: "n",
      NPM_CONFIG_X: "x",
      HOMEPAGE: own.HOMEPAGE,
      GIT: own.GIT,
    });
    expect(Object.keys(rest)).not.toContain("REMOTE");
    expect(Object.keys(rest)).not.toContain("CORP_LLM");
    expect(Object.keys(rest)).not.toContain("GITHUB_TOKEN");
    expect(Object.keys(rest)).not.toContain("DATABASE_URL");
    expect(Object.keys(rest)).not.toContain("GONE");
  });
});
