% COUNTERPOINT_ANSWER  answer questions for dynamic terms that come on standard input.
%   counterpoint_answer(@terms) serves [M, Phi, J, Q] = terms(t, q, v, u) until the input ends.
%   Numbers are little-endian doubles; the protocol is in the docs, "Function evaluation".
function counterpoint_answer(terms)
  header = fread(stdin, 4, 'double', 0, 'ieee-le');
  if numel(header) < 4
    return;
  end
  fwrite(stdout, header, 'double', 0, 'ieee-le');
  fflush(stdout);
  n = header(2);
  m = header(3);
  size_of_question = 1 + 2 * n + header(4);
  while true
    question = fread(stdin, size_of_question, 'double', 0, 'ieee-le');
    if numel(question) < size_of_question
      return;
    end
    q = question(2:n + 1);
    v = question(n + 2:2 * n + 1);
    [M, Phi, J, Q] = terms(question(1), q, v, question(2 * n + 2:end));
    if ~isequal(size(M), [n, n]) || numel(Phi) ~= m || numel(J) ~= m * n || numel(Q) ~= n
      error('terms: M is %s, Phi has %d, J is %s, Q has %d; needed are %d x %d, %d, %d x %d, %d', ...
            mat2str(size(M)), numel(Phi), mat2str(size(J)), numel(Q), n, n, m, m, n, n);
    end
    fwrite(stdout, [reshape(M.', [], 1); Phi(:); reshape(J.', [], 1); Q(:)], 'double', 0, 'ieee-le');
    fflush(stdout);
  end
end
