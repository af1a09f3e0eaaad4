import { describe, expect, test } from "vitest";
import { isLinkAddress, isPublicAddress } from "../../src/host/allowed-hosts.js";
import { commandEnvironment, isSecretName } from "../../src/host/environment.js";
import { waitAtMost } from "../../src/host/processes.js";

const words = (text: string) => text.trim().split(/\s+/u);

const secret = words(`
  ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY GITHUB_TOKEN GH_TOKEN NPM_TOKEN NODE_AUTH_TOKEN
  AWS_ACCESS_KEY_ID AWS_PROFILE AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS CLIENT_SECRET
  DB_PASSWORD PGPASSWORD_FILE_PASSWORD MYSQL_PWD SENTRY_DSN SSH_PRIVATE_KEY my_api_key SECRET TOKEN
  apikey KUBECONFIG STORAGE_CONNECTION_STRING PGPASSWORD SSHPASS GHTOKEN DBPASSWORD LDAP_BINDPW AZ_SAS
  SLACK_WEBHOOK_URL`);

const plain = words(`
  PATH HOME PWD OLDPWD LANG USER SHELL TMPDIR NODE_OPTIONS SSH_AUTH_SOCK KEYBOARD MONKEYPATCH
  GIT_AUTHOR_NAME AUTHOR XDG_STATE_HOME PASSENGER COMPASS TOKENIZERS_PARALLELISM SASS_PATH`);

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
      QUERY: "https://h/?x=1&access_token=abc",
      HOOK: "https://hooks.slack.com/services/T000/B000/XXXXXXXX",
      GH: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      PEM_FILE: "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
      SIGNED: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefg",
      CONNECTION: "Server=h;User Id=u;Password=pw;",
      NUGET_CREDS: "c",
      STRIPE_SK: "s",
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
    for (const name of words("REMOTE CORP_LLM GITHUB_TOKEN DATABASE_URL GONE"))
      expect(Object.keys(rest)).not.toContain(name);
  });
});

describe("an address", () => {
  test.each([
    "",
    ...words(`
    127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 100.64.0.1 169.254.169.254 172.16.0.1 172.31.255.255
    192.168.1.1 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 ff02::1
    ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe 0:0:0:0:0:ffff:10.0.0.1 ::127.0.0.1
    64:ff9b::10.0.0.1 2002:7f00:1:: 2001:db8::1 2001::1 localhost`),
  ])("%s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("an address of the link, or of a machine's metadata", () => {
  test.each([
    ["169.254.169.254", true],
    ["::ffff:169.254.169.254", true],
    ["64:ff9b::a9fe:a9fe", true],
    ["fe80::1%eth0", true],
    ["fd00:ec2::254", true],
    ["100.100.100.200", true],
    ["127.0.0.1", false],
    ["10.0.0.1", false],
    ["::1", false],
    ["fd00::1", false],
    ["1.1.1.1", false],
    ["localhost", false],
  ])("%s: %s", (address, is) => {
    expect(isLinkAddress(address)).toBe(is);
  });
});

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("leaves no timer behind, which would keep a program from ending", async () => {
  const before = timers();
  await waitAtMost(Promise.resolve(), 60_000);
  expect(timers()).toBe(before);
});

test("waits no longer than it is told to", async () => {
  await waitAtMost(new Promise(() => {}), 5);
});
