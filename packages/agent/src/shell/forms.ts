/**
 * What may stand behind the beginning of a command that a person allowed. Every other word is asked about: it may choose
 * another program, another configuration or a file to write.
 *
 * `ID`: a name of the project's; `RUN`: nothing, or a program that finds this one. `PATH`: plain paths of the workspace;
 * `FILE`: those with a point or a slash, where another word is an action; `LOCAL`: those that begin with a point; `NAME`:
 * branches and the like; `REMOTE`: the same behind `origin` or `upstream`; `TEXT`: any text as the first argument. `-n#`:
 * with a number; `-m:` takes the next word, whatever that is; `--tb=a,b`: with one of these values; `-[ab]`: these letters
 * together; others are whole words.
 */
const rows = `
(npm|pnpm|yarn|bun) (test|t|run ID) > PATH -- -s --silent --run --watch=false --coverage --bail --verbose --ci
(npm|pnpm|yarn|bun) (ci|install) > --ignore-scripts --no-audit --no-fund --prefer-offline --frozen-lockfile
(npm|pnpm|yarn|bun) (ls|outdated|audit) > --all --json --depth#
git add > PATH -- -A -u -v --all --update
git commit > -m: -a -am: -q -v
git fetch > REMOTE -q -v -p --all --tags --prune
cargo (build|check|test|clippy|doc|bench) > NAME -- -q -v --quiet --verbose --release --all --workspace --all-targets --all-features --locked --offline --no-run --lib --bins --tests --no-deps --nocapture
cargo fmt > -- --all --check
go (build|test|vet|fmt) > LOCAL -v -race -short -cover -json -count#
(./gradlew|gradle) (build|test|check|clean) > -q --info --quiet --stacktrace --offline --no-daemon
(./mvnw|mvn) (clean|compile|test|verify|package) > -q -B -e --quiet --batch-mode --offline
dotnet (build|test|format|restore) > --no-restore --no-build --nologo
deno (test|check|lint|fmt) > PATH --quiet --check
(make|ninja) ID > -j# -k -s
(just|task|rake) ID >
RUNvitest( run)? > FILE --run --coverage --silent --bail# --no-color --watch=false --passWithNoTests -t: --reporter=default,verbose,dot,json
RUNjest > PATH -i -t: --ci --coverage --silent --verbose --bail --runInBand --watch=false --watchAll=false --passWithNoTests
RUNmocha > FILE -b --bail --exit
RUNtsc > -b --build --noEmit --pretty=true,false
RUNeslint > PATH --quiet --no-color --max-warnings#
RUN(biome (check|lint|format|ci)|phpunit) > PATH
RUNprettier > PATH -c -l --check --list-different
RUNpytest > PATH -q -v -vv -x -s -l -k: --lf --ff --maxfail# --tb=short,long,line,no,auto,native
RUNunittest > discover -v -q
RUNruff (check|format) > PATH -q --quiet --diff --check
RUN(mypy|pyright|flake8) > PATH --strict
rspec > PATH --fail-fast --dry-run
ctest > -j# -V -VV --output-on-failure
`;

/** The same of commands that only look: they run in plan mode without a sandbox, too. */
const lookingRows = `
git status > PATH -- -s -b -sb --short --branch --porcelain --ignored
git diff > PATH NAME -- -p -w -b -U# --stat --shortstat --numstat --name-only --name-status --cached --staged --check
git (log|show) > PATH NAME -- -# -n# -p -w --oneline --stat --name-only --name-status --graph --decorate --all --no-merges --follow
git blame > PATH NAME -- -w -s -L:
git branch > -a -r -v -vv --all --list --show-current
ls > PATH -[alh1RtFdrS]
grep > TEXT PATH -A# -B# -C# -m# -[ivnEFcowlqrHhs]
(head|tail) > PATH -# -n# -c# -q
cat > PATH -[nAbs]
wc > PATH -[lwcm]
sort > PATH -k# -[nrufhV]
`;

/** Only what a person's settings let run outside of the sandbox. */
const outsideRows = "git push > REMOTE -u -n -v --set-upstream --tags --dry-run";

/** The beginning of a command, and what may stand behind it. */
interface CommandForm {
  readonly begin: string;
  readonly may: readonly string[];
}

/** The form of a command; undefined where none is listed. @param isOutside with what may run outside of the sandbox. */
export function formOf(words: readonly string[], isOutside = false): CommandForm | undefined {
  return formIn(isOutside ? [...forms, ...outsideForms] : forms, words);
}

/** The beginnings by which a command only looks: one at most. */
export function lookingForms(words: readonly string[]): readonly string[] {
  return [formIn(looking, words)?.begin ?? []].flat();
}

function formIn(table: ReturnType<typeof formsIn>, words: readonly string[]): CommandForm | undefined {
  const text = words.slice(0, mostBegin).join(" ");
  for (const { begins, may } of table) {
    const begin = begins.exec(text)?.[0];
    // A quoted word may hold a blank.
    if (begin?.split(" ").every((word, at) => word === words[at]) === true) return { begin, may };
  }
  return undefined;
}

/** Whether a command goes on with nothing but what its form lists. @param isInside whether a word is a plain path inside. */
export function fitsForm(
  { begin, may }: CommandForm,
  words: readonly string[],
  isInside: (path: string) => boolean,
): boolean {
  let [at, given] = [begin.split(" ").length, 0];
  while (at < words.length) {
    const word = words[at] ?? "";
    const taken = Math.max(0, ...may.map((one) => optionLength(one, words, at)));
    const isPath = paths.some(([kind, form]) => may.includes(kind) && form.test(word));
    const isRemote = may.includes("REMOTE") && (given > 0 || /^(origin|upstream)$/u.test(word));
    const isName = (may.includes("NAME") || isRemote) && isPlainName(word);
    const isArgument = (given === 0 && may.includes("TEXT")) || (isPath && isInside(word)) || isName;
    if (taken === 0 && (word.startsWith("-") || !isArgument)) return false;
    if (taken === 0) given += 1;
    at += Math.max(1, taken);
  }
  return true;
}

const paths = [
  ["PATH", /./u],
  ["FILE", /[./]/u],
  ["LOCAL", /^\.(\/|$)/u],
] as const;

/** How many words an option of a row takes here; 0 where another one stands there. */
function optionLength(option: string, words: readonly string[], at: number): number {
  const [word = "", next = "-"] = words.slice(at, at + 2);
  const bare = option.slice(0, -1);
  if (option.startsWith("-[")) return new RegExp(`^${option}+$`, "u").test(word) ? 1 : 0;
  if (option.endsWith(":")) return word === bare && !next.startsWith("-") ? 2 : 0;
  if (option.endsWith("#")) {
    if (word === bare && word !== "-" && /^\d+$/u.test(next)) return 2;
    return word.startsWith(bare) && /^=?\d+$/u.test(word.slice(bare.length)) ? 1 : 0;
  }
  const [name, values] = option.split("=");
  const forms = values === undefined ? [name] : values.split(",").map((value) => `${name}=${value}`);
  return forms.includes(word) ? 1 : 0;
}

/** Whether a path says nothing else to any program, and leads neither up nor into a hidden folder or one of packages. */
export function isPlainPath(path: string): boolean {
  const file = path.replace(/(?<=\.py)(?:::\w+)+$/u, "");
  const isPlain = /^(?:\.|(?:\.\/)?\w[\w+.,-]*(?:\/[\w@][\w+.,-]*)*)(?:\/|\/\.\.\.)?$/u.test(file);
  return isPlain && !/(^|\/)node_modules(\/|$)/u.test(file);
}

function isPlainName(word: string): boolean {
  return /^\w[\w@./~^-]*$/u.test(word) && !/(^|\/)\.\.(\/|$)/u.test(word);
}

/** What is allowed with a beginning, for a person. */
export function wordsOfForm(begin: string): string {
  const may = formOf(begin.split(" "))?.may ?? [];
  const words = may.map((one) => kindWords.get(one) ?? one.replace("#", " N").replace(/:$/u, " TEXT"));
  return `Always: ${begin}, alone${words.length === 0 ? "" : ` or with ${words.join(", ")}`}`;
}

const kindWords = new Map([
  ["PATH", "paths of the workspace"],
  ["FILE", "files of the workspace"],
  ["LOCAL", "paths that begin with ./"],
  ["NAME", "names"],
  ["REMOTE", "origin or upstream and names"],
  ["TEXT", "a text"],
]);
const mostBegin = 5;

function formsIn(table: string): readonly { readonly begins: RegExp; readonly may: readonly string[] }[] {
  return [...table.matchAll(/^(.+?) > ?(.*)$/gmu)].map(([, begin = "", may = ""]) => {
    const source = begin.replaceAll(".", "\\.").replace("ID", "[A-Za-z][\\w:.-]*");
    const whole = source.replace("RUN", "(?:npx |uv run |python3? -m )?");
    return {
      begins: new RegExp(`^(?:${whole})(?= |$)`, "u"),
      may: may.split(" ").filter((one) => one !== ""),
    };
  });
}

const looking = formsIn(lookingRows);
const [forms, outsideForms] = [[...formsIn(rows), ...looking], formsIn(outsideRows)];
