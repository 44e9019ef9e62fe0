% COUNTERPOINT_INTEGRATE  integrate a mechanical model of this script with Counterpoint's formulations.
%   [t, q, v] = counterpoint_integrate(@terms, q0, v0, equations, step, t_end)
%   [t, q, v] = counterpoint_integrate(..., formulation)    e.g. "index-3", "penalty", "augmented-lagrangian"
%   [t, q, v] = counterpoint_integrate(..., formulation, python)    the interpreter that has counterpoint
%
%   [M, Phi, J, Q] = terms(t, q, v, u) is called back for the dynamic terms; u is empty. Rows of q and v belong to t (s).
%   A function that returns [M, Phi, J, Q, c], where Phi'' = J a + c, is called less often; one whose constraints
%   depend on t returns [M, Phi, J, Q, c, Phi_t].
function [t, q, v] = counterpoint_integrate(terms, q0, v0, equations, step, t_end, formulation, python)
  if nargin < 7
    formulation = "index-3";
  end
  if nargin < 8
    python = "python3";
  end
  n = numel(q0);
  count = max(4, min(6, nargout(terms)));
  version = [1, 2, 4](count - 3);
  made = cell(1, 6);
  [to, from, child] = popen2(python, {"-m", "counterpoint.multibody.evaluation.host", formulation});
  fcntl(from, F_SETFL, O_RDONLY);  % popen2 opens it non-blocking; we want to wait for what comes
  unwind_protect
    say(to, [version; n; equations; step; t_end; q0(:); v0(:)]);
    rows = zeros(0, 1 + 2 * n);
    while true
      kind = hear(from, 1);
      if kind == 0
        question = hear(from, 1 + 2 * n);
        [made{1:count}] = terms(question(1), question(2:n + 1), question(n + 2:end), []);
        say(to, [reshape(made{1}.', [], 1); made{2}(:); reshape(made{3}.', [], 1); made{4}(:); made{5}(:); made{6}(:)]);
      elseif kind == 1
        count = hear(from, 1);
        rows = reshape(hear(from, count * (1 + 2 * n)), 1 + 2 * n, count).';
        break;
      else
        error('counterpoint: %s', char(hear(from, hear(from, 1)).'));
      end
    end
  unwind_protect_cleanup
    fclose(to);
    fclose(from);
    waitpid(child);
  end_unwind_protect
  t = rows(:, 1);
  q = rows(:, 2:n + 1);
  v = rows(:, n + 2:end);
end

function say(to, values)
  fwrite(to, values, 'double', 0, 'ieee-le');
  fflush(to);
end

function values = hear(from, count)
  values = fread(from, count, 'double', 0, 'ieee-le');
  if numel(values) < count
    error('counterpoint: the program ended; is it installed for this python?');
  end
end
