import { fitOf } from "@holdfast/agent";
import { ranBy } from "./traced.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

/** Ways to run `git push`, each tried in bash; `¶` is a line feed. */
const ways = `git push --dry-run|git  push|cd x; git push|true && git push|false §§ git push|echo a§git push|git push & wait|ls¶git push|(git push)
{ git push; }|! git push|if true; then git push; fi|for x in a; do git push; done|while git push; do break; done|case x in x) git push;; esac
echo $(case x in x) git push;; esac)|X=1 git push|X=$(git push)|echo "$(git push)"|echo "$(echo "a b"; git push)"|echo \`git push\`|: \${X:-$(git push)}
cat <(git push)|a=(git push); \${a[0]} \${a[1]}|g() { git "$@"; }; g push|function f { git push; }; f|shopt -s expand_aliases¶alias g=git¶g push
coproc git push; wait|<x.sh git push|2>&1 git push|> f git push|g'i't push|\\git p"us"h|gi\\¶t push|$'git' push|$'\\x67it' push|G=git; $G push
G="git push"; $G|$(echo git) push|git $(echo push)|{git,push}|git pus{h,}|sh -c 'git push'|bash --noprofile -lc 'cd x; git push'|echo git push§sh
bash -c "$(echo git push)"|cat x.sh§env sh -s|sh <<E¶git push¶E|cat <<E§sh¶git push¶E|cat <<E¶$(git push)¶E|sh <<< 'git push'|eval git push
eval 'G=git;' '$G push'|exec git push|command git push|timeout 5 git push|nice -n 5 git push|time -p git push|nohup git push|echo push§xargs git
xargs git push < /dev/null|echo git push§xargs -I X sh -c X|find x.sh -exec git push \\;|trap 'git push' EXIT|source <(echo git push)|git -C x push
bash <(echo git push)|git -c k=v push|git --git-dir x --no-pager push|./bin/git push|git -c alias.p=push p push|ls \u00a0# ; git push|env -S 'git push'`;

/** What runs nothing of the kind. */
const others = `ls|git status && git log -5|git pull --rebase|git pushx|echo git push|ls # git push|git commit -m 'git push; again'|git log --grep 'git push'
grep -rn 'git push' x|cat > a.md <<'E'¶\`git push\`, don't¶git push¶E|git add push.ts|git checkout "$B"|npm test 2>&1§tail -5|command -v git`;

/** @returns {Row} */
export function denyForms() {
  const list = (/** @type {string} */ text) =>
    text.split(/[|\n]/u).map((way) => way.replaceAll("§", "|").replaceAll("¶", "\n"));
  let [through, idle, needless, asked] = [0, 0, 0, 0];
  for (const command of list(ways)) {
    if (!ranBy(command, ["git", "npm"]).some((line) => /^git push( |$)/u.test(line))) idle += 1;
    const fit = fitOf("git push", command);
    if (fit === "no") through += 1;
    if (fit === "maybe") asked += 1;
  }
  for (const command of list(others)) if (fitOf("git push", command) !== "no") needless += 1;
  const tried = list(ways).length + list(others).length;
  return {
    figure: "W5",
    what: `a rule that denies \`git push\`: ${list(ways).length} ways to run it, each run in bash, and ${list(others).length} other commands`,
    tried,
    bad: { through, idle, needless },
    seen: `${asked} of the ways are asked about instead of denied`,
    baseline: "the words as they stand: 7 of 8 ways through (review of 2026-11-28)",
  };
}
