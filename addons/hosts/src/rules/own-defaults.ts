/** What clients refuse their own tools, or ask a person about, whatever a person has set: in the syntax of `.gitignore`. */

/** Claude Code 2.1.332 asks before its tools write here, in every mode but one; what our own list protects is left out. */
export const claudeSensitive =
  ".vscode/ .cargo/ .yarn/ .gitmodules .ripgreprc .pnp.cjs .pnp.loader.mjs .pnp.js .pnp.data.json .bazelrc " +
  ".bazelversion .bazeliskrc maven-wrapper.properties gradle-wrapper.properties pyrightconfig.json";

/** Gemini CLI 0.61.0: a path with such a name in it lies outside of the project. */
export const geminiBlocked = ".git .env node_modules gha-creds-*.json";

/** Continue 1.5.47. */
export const continueSensitive =
  "*.env *.env.* .env* config.json config.yaml config.yml settings.json appsettings.json appsettings.*.json *.key *.pem " +
  "*.p12 *.pfx *.crt *.cer *.jks *.keystore *.truststore *.db *.sqlite *.sqlite3 *.mdb *.accdb *.secret *.secrets " +
  "auth.json *.token *.bak *.backup *.old *.orig docker-compose.override.yml docker-compose.override.yaml id_rsa id_dsa " +
  "id_ecdsa id_ed25519 *.ppk *.gpg env/ .aws/ .gcp/ .azure/ .kube/ .docker/ secrets/ .secrets/ private/ .private/ certs/ " +
  "certificates/ keys/ .ssh/ .gnupg/ .gpg/ .tmp/";
