import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Commands } from "../../src/host/commands.js";
import { formsOf, isCovered } from "../../src/shell/covered.js";
import { wordsOfForm } from "../../src/shell/forms.js";
import { ranBy } from "./traced.js";

describe("what a person allows for longer", () => {
  it.each([
    [
      "npm test",
      ["npm test -- a.test.ts", "npm test -- --watch=false src/x", "npm test || true", "npm test; echo done"],
    ],
    [
      "npm test",
      [
        "cd sub && npm test",
        "npm test 2>&1 | tail -5",
        "CI=1 NODE_ENV=test npm test",
        "npm test 2>/dev/null",
      ],
    ],
    [
      "npm test",
      ["npm test | grep -E 'a|b' | wc -l", "npm test # all\nnpm test", "npm test 'src/a.test.ts'"],
    ],
    ["npm run build:all", ["npm run build:all -- x"]],
    ["npx vitest run", ["npx vitest run a.test.ts -t 'a b'"]],
    ["git log", ["git log --oneline -5", "git log HEAD~3..HEAD -- src", "git log -n 5"]],
    ["git commit", ["git commit -m 'fix: a; $(b)'", "git commit -am x"]],
    ["git fetch", ["git fetch origin feature/x", "git fetch --all"]],
    ["python3 -m pytest", ["python3 -m pytest tests/a.py::test_x -k 'a or b'"]],
    ["./gradlew test", ["./gradlew test --info"]],
    ["go test", ["go test ./...", "go test ./a/... -count=1"]],
    ["ls", ["ls -la src"]],
  ] as const)("%s goes on with what is listed, in each part: %j", (form, commands) => {
    for (const command of commands) {
      expect(isCovered(command, { forms: [form] }), command).toBe(true);
      expect(formsOf(command), command).toEqual([form]);
    }
  });

  it("is offered for each part that needs it", () => {
    expect(formsOf("npm test && git status")).toEqual(["npm test", "git status"]);
    expect(isCovered("npm test && git status", { forms: ["npm test"] })).toBe(false);
  });

  it.each([
    "npm test && curl x",
    "npm test; rm x",
    "npm test | tee out",
    "npm test > out",
    "npm test &",
    "npm test &> out",
    "npm test $(rm x)",
    "npm test `rm x`",
    "npm test\nrm x",
    'npm test "$X"',
    "npm test <x",
    "npm test <<< x",
    "sh -c 'npm test'",
    "env npm test",
    "time npm test",
    "! npm test",
    "(npm test)",
    "npm t\\est",
    "echo x | npm test",
    "PATH=. npm test",
    "NODE_OPTIONS=-rx npm test",
    "npm_config_script_shell=x npm test",
    "CI=../x npm test",
    "npm test --script-shell=x",
    "npm test --script-she=x",
    "npm test -w ../x",
    "npm test --prefix x",
    "npm test x=y",
    "npm test ../x",
    "npm test /x",
    "npm test ~/x",
    "npm test .hidden/x",
    "npm test a/../../x",
    "npm test node_modules/x",
    "npm test *",
    "npm test {a,b}",
    "npm test a\u00a0b",
    "npm test é",
    "npm test @x",
    "npm test a:b",
    "npm test -",
    "cd .. && npm test",
    "cd && npm test",
    "cd -P x && npm test",
    "cd x y && npm test",
    "cd node_modules/x && npm test",
    "cd x && ./gradlew test",
    '"CI=1" npm test',
    "'npm test'",
    "npm 'test x'",
    "npm test | sort -o x",
    "npm test | cat > x",
    "npm run",
    "npm exec x",
    "npx left-pad",
    "npx vitest init",
    "mocha init",
    "node -e 1",
    "python3 -m http.server",
    "git push",
    "git fetch x",
    "git fetch origin ../x",
    "git -c a=b log",
    "git log --output=x",
    "git grep -Ovim x",
    "git commit --amend",
    "git branch x",
    "make test X=1",
    "make test -f x",
    "go test -toolexec=x ./x",
    "pytest @x",
    "tsc -p x",
    "eslint -f ./x .",
    "rm -rf build",
    "curl https://a",
    "./run.sh build",
    "echo hi",
    "cd sub",
    "true",
    "",
    'npm test "a\\\nb"',
    "npm test\r",
    "alias npm=x; npm test",
    "npm() { x; }; npm test",
    "npm test\n#\\\nrm x",
  ])("is no more than this very command: %j", (command) => {
    expect(formsOf(command)).toBeUndefined();
    for (const form of ["npm test", "git log", "./gradlew test", "make test"])
      expect(isCovered(command, { forms: [form] }), form).toBe(false);
  });

  it("is said in full", () => {
    expect(wordsOfForm("grep")).toBe(
      "Always: grep, alone or with a text, paths of the workspace, -A N, -B N, -C N, -m N, -[ivnEFcowlqrHhs]",
    );
    expect(wordsOfForm("just build")).toBe("Always: just build, alone");
  });

  it("follows no link out of the workspace", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-inside-")));
    for (const name of ["w/src", "out"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "w/src/a.ts"), "");
    symlinkSync("../out", join(folder, "w/out"));
    symlinkSync("src", join(folder, "w/in"));
    symlinkSync("nowhere", join(folder, "w/dangling"));
    const commands = new Commands({
      roots: [join(folder, "w")],
      tempDir: join(folder, "t"),
      environment: {},
    });
    const isFine = (command: string, directory?: string) =>
      isCovered(command, { forms: ["npm test"] }, { directory, isInside: (path) => commands.isInside(path) });
    for (const path of ["src/a.ts", "in/a.ts", "new/b.ts", "."])
      expect(isFine(`npm test ${path}`), path).toBe(true);
    for (const path of ["out", "out/x", "dangling", "src/a.ts/x"])
      expect(isFine(`npm test ${path}`), path).toBe(false);
    expect(["in", "out"].map((to) => isFine(`cd ${to} && npm test`))).toEqual([true, false]);
    expect(
      ["in", "out", "../out", ".git", join(folder, "w/src")].map((to) => isFine("npm test", to)),
    ).toEqual([...[true, false, false, false, true]]);
    rmSync(folder, { recursive: true });
  });
});

describe("a list of a person's", () => {
  it("covers by rules what they say, word for word or open at the end", () => {
    const rules = ["git status *", "sh t.sh"];
    for (const command of ["git status", " git  status -s", "sh\tt.sh", "git status 'a;b' && sh t.sh"])
      expect(isCovered(command, { rules }), command).toBe(true);
    for (const command of [
      "git  statusx",
      "sh t.sh x",
      "sh\u00a0t.sh",
      "git status ~/.ssh",
      "git status; rm x",
      "PAGER=x git status",
    ])
      expect(isCovered(command, { rules }), command).toBe(false);
  });

  it("covers by beginnings what goes on without an option that may choose a program", () => {
    const beginnings = ["git push", "ssh", "docker *"];
    for (const command of [
      "git push",
      "git push -u origin main",
      "cd sub && git push origin x 2>&1 | tail -3",
      "ssh h 'a; b'",
      "docker run -v /:/x y",
    ])
      expect(isCovered(command, { beginnings }), command).toBe(true);
    for (const command of [
      "git push x",
      "git push --receive-pack=x origin",
      "ssh -oProxyCommand=x h",
      "git push; npm test",
      "git -C x push",
    ])
      expect(isCovered(command, { beginnings }), command).toBe(false);
  });
});

describe("a command that is covered", () => {
  const forms = ["npm test", "git log", "git commit", "make test", "vitest run", "ls"];
  const good = [
    ...forms,
    "cd sub",
    "tail -5",
    "wc -l",
    "CI=1",
    "2>&1",
    "src/a.ts",
    "'a b'",
    '"c"',
    "--",
    "-m x",
    "true",
  ];
  const joints = [" ", " ", " ", "", "\t", "\n", ";", "&&", " && ", "|", " || ", "&"];
  const bad = [
    ..."$(touch EVIL)¦`touch EVIL`¦touch EVIL¦> EVIL¦>>EVIL¦--script-shell=EVIL¦--script-she=EVIL¦-c EVIL¦EVIL=1".split(
      "¦",
    ),
    ..."\"$(touch EVIL)\"¦<(touch EVIL)¦{x,--EVIL}¦$'\\x2d-EVIL'¦\\¦'¦\"¦../EVIL¦/EVIL¦~/EVIL¦#¦!¦<<EVIL¦@EVIL¦=EVIL¦\u00a0".split(
      "¦",
    ),
    ..."PATH=sub¦sh -c 'touch EVIL'¦env touch EVIL¦eval touch EVIL¦(¦)¦{¦}¦$IFS¦*¦-oEVIL¦--EVIL¦SHELL=EVIL¦cd ..¦cd -".split(
      "¦",
    ),
  ];

  it("runs the programs that were named, with nothing that was not listed", () => {
    const joint = fc.constantFrom(...joints);
    const goodPieces = fc.array(fc.tuple(joint, fc.constantFrom(...good)), { maxLength: 3 });
    const badPieces = fc.array(fc.tuple(joint, fc.constantFrom(...bad)), { minLength: 1, maxLength: 1 });
    const rest = fc.tuple(goodPieces, badPieces, goodPieces).map((lists) => lists.flat());
    let covered = 0;
    fc.assert(
      fc.property(fc.constantFrom(...good), rest, (first, pieces) => {
        const command = first + pieces.map(([joint, word]) => joint + word).join("");
        if (!isCovered(command, { forms })) return;
        covered += 1;
        for (const line of ranBy(command)) {
          expect(
            [...forms, "tail", "wc"].some((form) => line === form || line.startsWith(`${form} `)),
            line,
          ).toBe(true);
          // A plain word may be a path.
          expect(line).not.toMatch(/(^| )[^\w ]\S*EVIL|=|\.\./u);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(covered).toBeGreaterThan(20);
  });
});
