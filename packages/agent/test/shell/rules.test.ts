import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultOfRule, fitOf } from "../../src/shell/rules.js";
import { ranBy } from "./traced.js";

/** Ways to run `git push`, each as bash reads it. Real programs of these names are stubs that write down their words. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are a shell's
const runsPush = [
  "git push --dry-run",
  " git \t push",
  "cd x; git push",
  "true && git push",
  "false || git push",
  "echo a|git push",
  "git push & wait",
  "ls\ngit push",
  "(git push)",
  "{ git push; }",
  "! git push",
  "if true; then git push; fi",
  "for x in a; do git push; done",
  "while git push; do break; done",
  "case x in x) git push;; esac",
  "echo $(case x in x) git push;; esac)",
  "X=1 git push",
  "X=$(git push)",
  'echo "$(git push)"',
  'echo "$(echo "a b"; git push)"',
  "echo `git push`",
  "echo `echo \\`git push\\``",
  ": ${X:-$(git push)}",
  "cat <(git push)",
  "a=(git push); ${a[0]} ${a[1]}",
  'g() { git "$@"; }; g push',
  "function f { git push; }; f",
  "shopt -s expand_aliases\nalias g=git\ng push",
  "coproc git push; wait",
  "<x.sh git push",
  "2>&1 git push",
  "> f git push",
  "g'i't push",
  '\\git p"us"h',
  "gi\\\nt push",
  "$'git' push",
  "$'\\x67it' push",
  "G=git; $G push",
  'G="git push"; $G',
  "$(echo git) push",
  "git $(echo push)",
  "{git,push}",
  "git pus{h,}",
  "sh -c 'git push'",
  "bash --noprofile -lc 'cd x; git push'",
  'bash -c "$(echo git push)"',
  "echo git push | sh",
  "cat x.sh | env sh -s",
  "sh <<E\ngit push\nE",
  "cat <<E | sh\ngit push\nE",
  "cat <<E\n$(git push)\nE",
  "cat <<-'E'\n\tx\n\tE\ngit push",
  "cat <<'A' <<'B'\n'\nA\n'\nB\ngit push",
  "sh <<< 'git push'",
  "eval git push",
  "eval 'G=git;' '$G push'",
  "exec git push",
  "command git push",
  'env -i PATH="$PATH" git push',
  "timeout 5 git push",
  "nice -n 5 git push",
  "time -p git push",
  "nohup git push",
  "xargs git push < /dev/null",
  "echo push | xargs git",
  "echo git push | xargs -I X sh -c X",
  "find x.sh -exec git push \\;",
  "trap 'git push' EXIT",
  "source <(echo git push)",
  "bash <(echo git push)",
  "git -C x push",
  "git -c k=v push",
  "git --git-dir x --no-pager push",
  "./bin/git push",
  "git -c alias.p=push p push",
  "ls \u00a0# ; git push",
  "ls # '\ngit push #'",
  "cat <<E\n\rE\n'\nE\ngit push # '",
] as const;

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

/** What runs nothing of the kind, and is written every day. */
const runsNone = [
  "ls",
  "git status && git log --oneline -5",
  "git pull --rebase",
  "git pushx",
  "'git push'",
  "echo git push",
  "ls # git push",
  "git commit -m 'fix: git push works; again'",
  "git log --grep 'git push'",
  "grep -rn 'git push' docs | head -5",
  "cat > a.md <<'E'\nUse `git push`, don't force.\ngit push\nE",
  "git add push.ts",
  'git checkout "$BRANCH"',
  'for f in *.ts; do wc -l "$f"; done',
  "npm test 2>&1 | tail -5",
  "find . -name '*.ts' -exec grep push {} +",
  "command -v git",
  "bash scripts/push.sh",
  "make -j$(nproc) X=1",
] as const;

describe("a rule that denies or asks", () => {
  it.each(runsPush)("sees git push in %j, which runs it", (command) => {
    expect(ranBy(command).join("\n"), "the oracle").toMatch(/^git push( |$)/mu);
    expect(fitOf("git push", command)).not.toBe("no");
  });

  it.each(runsNone)("lets %j be", (command) => {
    expect(fitOf("git push", command)).toBe("no");
  });

  it.each([
    ["rm *", "yes", ["rm x", "sudo -u me rm x", "ls | xargs -n 1 rm"]],
    ["rm *", "maybe", ["A=rm ls", "npm run rm", "python3 -c 'os.system(\"rm x\")'"]],
    ["rm *", "no", ["echo rm", "./rmdir x", "docker run --rm x"]],
    ["rm -rf", "yes", ["rm -rf x", "rm x -rf"]],
    ["rm -rf", "maybe", ["rm -r -f x", "rm -fr x", "rm $X"]],
    ["rm -rf", "no", ["rm x", "rm -r x"]],
    ["git push --force", "maybe", ["git push --forc", "git push origin --fo"]],
    ["npm publish", "yes", ["npm publish", "npm --prefix x publish", "npm -w a publish"]],
    ["npm publish", "maybe", ["npm publ", "npm $X", "npm --silent run publish", "$X"]],
    ["npm publish", "no", ["npm run publish", "npm test"]],
    ["docker compose up", "yes", ["docker --context c compose -f f up", "docker-compose up"]],
    ["make deploy", "yes", ["make -C d X=1 deploy"]],
    ["./deploy.sh", "yes", ["sh deploy.sh", "/a/b/deploy.sh x", "cd x && ../deploy.sh"]],
    ["*", "yes", ["ls", "X=1 ls"]],
  ] as const)("%j is %s about %j", (rule, fit, commands) => {
    for (const command of commands) expect(fitOf(rule, command), command).toBe(fit);
  });

  it("is the same with a star at its end", () => {
    for (const command of [...runsPush, ...runsNone])
      expect(fitOf("git push *", command), command).toBe(fitOf("git push", command));
  });

  it.each([
    "git push*",
    "git * push",
    "*push",
    "git push; ls",
    "X=1 git push",
    "git push > x",
    "",
    " ",
    "a | b",
  ])("that is %j is about nothing, and is told", (rule) => {
    expect(faultOfRule(rule)).toBeTypeOf("string");
  });

  it("that is told nothing of fits itself", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[\w./'" *;=-]{1,6}$/u), { minLength: 1, maxLength: 4 }),
        (words) => {
          const rule = words.join(" ");
          if (faultOfRule(rule) === undefined)
            expect(fitOf(rule, rule.replace(/(^| )\*$/u, "$1x"))).toBe("yes");
        },
      ),
    );
  });

  it("answers whatever it is given", () => {
    const sign = fc.constantFrom(
      ..."$`'\"\\(){}[]<>|&;#*?~!=- \t\n\ragit\u0000".split(""),
      "git push",
      "<<E",
      "$(",
      "eval ",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 60 }), (signs) => {
        expect(["yes", "maybe", "no"]).toContain(fitOf("git push", signs.join("")));
      }),
    );
    for (const deep of ["$(", "`", '"$(', "eval ", "((", "sh -c '", "${", "cat <<E\n$("])
      expect(fitOf("git push", `${deep.repeat(9_999)} git push`)).not.toBe("no");
  });
});
